"""Write the stubs of irev, irev.plots and irev.studies: what type checkers and editors read.

Run as `python -m tools.docs.stubs`, or `make docs`. A stub has every public function with every
keyword, its type and its default, as the record of its options declares them: the words that a
text can be are a `Literal`. Classes are imported from where they are, so that each is one type;
what is public in them stands below as a comment. Types are taken from the source, for an annotation
may be a text, or name what is imported for type checkers alone.
"""

from __future__ import annotations

import ast
import builtins
import inspect
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from textwrap import fill
from typing import Any, Literal, get_args, get_origin

import irev
from irev.core.job import keyword_fields
from irev.core.option_records import Field, OptionRecord
from irev.options import Options

MODULES = ("irev", "irev.plots", "irev.studies")

RETURNS_BY_ARGUMENT = {
    "evaluate": ("run", (("SeveralRuns", "ScoreTable"), ("Input", "Scores"))),
    "evaluate_arrays": ("y_score", (("Mapping[str, Any]", "ScoreTable"), ("Any", "Scores"))),
    "compare": ("predicted", (("None", "Comparison"), ("Input", "PredictedComparison"))),
}
"""Function -> an argument whose type decides what is returned, and the pairs of these types."""

WIDTH = 100
LONG = 40
"""Types with more characters that are needed twice get a name."""


class Source:
    """The source of a module, and where its names come from.

    functions, classes  the definitions by name; of a function all, those within others, too
    homes               name -> the module it is from and its name there, "" for a module itself
    """

    def __init__(self, module_name: str) -> None:
        path = Path(str(import_module(module_name).__file__))
        self.module_name = module_name
        self.functions: dict[str, list[ast.FunctionDef]] = {}
        self.classes: dict[str, ast.ClassDef] = {}
        self.homes: dict[str, tuple[str, str]] = {}
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                self.functions.setdefault(node.name, []).append(node)
            elif isinstance(node, ast.ClassDef):
                self.classes[node.name] = node
            elif isinstance(node, ast.Import):
                for each in node.names:
                    self.homes[each.asname or each.name] = (each.name, "")
            elif isinstance(node, ast.ImportFrom):
                for each in node.names:
                    self.homes[each.asname or each.name] = (str(node.module), each.name)

    def home(self, name: str) -> tuple[str, str]:
        """Where a name is from: this module, unless it is imported."""
        return self.homes.get(name, (self.module_name, name))


source_of = cache(Source)


class TypeTexts(ast.NodeTransformer):
    """Makes texts of the types of a source, and says what they need to be imported."""

    def __init__(self, source: Source, imports: set[tuple[str, str]]) -> None:
        self.source, self.imports = source, imports

    def text(self, node: ast.AST | None) -> str:
        """The text of a type; of none `Any`."""
        return _unparsed(self.visit(node or ast.Name("Any")))

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        """A type in quotes."""
        return self.visit(_parsed(node.value)) if isinstance(node.value, str) else node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """A `Literal` has words, no types; of an `Annotated` the first is the type."""
        kind = ast.unparse(node.value)
        if kind == "Literal":
            self.imports.add(("typing", "Literal"))
            return node
        if kind == "Annotated" and isinstance(node.slice, ast.Tuple):
            inner: ast.AST = self.visit(node.slice.elts[0])
            return inner
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """What a name stands for, if that is words; else it is imported."""
        if hasattr(builtins, node.id):
            return node
        module_name, name = self.source.home(node.id)
        value = getattr(import_module(module_name), name, None)
        if get_origin(value) is Literal:
            self.imports.add(("typing", "Literal"))
            return _parsed(_literal(get_args(value)))
        known_name = name or module_name
        alias = "" if known_name == node.id else f" as {node.id}"
        self.imports.add((module_name if name else "", known_name + alias))
        return node


class Stub:
    """The stub of a module, while it is written."""

    def __init__(self, module_name: str) -> None:
        self.module = import_module(module_name)
        self.imports: set[tuple[str, str]] = set()
        self.keywords_of_type: dict[str, list[str]] = {}
        self.type_names: dict[str, str] = {}

    def text(self) -> str:
        """The whole."""
        public = {name: getattr(self.module, name) for name in self.module.__all__}
        self._name_repeated_types(public, "_{}Word")
        self._name_repeated_types(public, "_{}")
        functions = [*self._functions(public)]
        classes = ["\n".join(self._class_lines(v)) for v in public.values() if inspect.isclass(v)]
        exported = {(v.__module__, v.__name__) for v in public.values() if inspect.isclass(v)}
        imports: dict[str, list[str]] = {}
        for module_name, name in sorted(self.imports - exported):
            imports.setdefault(module_name, []).append(name)
        names = _filled(", ".join(map(_shown, public)) + ",", "    ", "    ")
        return "\n".join(
            [
                "# ruff: noqa",
                "# fmt: off",
                f'"""The types of {self.module.__name__}; `make docs` writes them."""',
                "",
                *(f"import {name}" for name in imports.pop("", ())),
                *(_import_line(module_name, names) for module_name, names in imports.items()),
                *(f"from irev import {n} as {n}" for n, v in public.items() if inspect.ismodule(v)),
                f"\n__all__ = [\n{names}\n]\n",
                *(["__version__: str\n"] if self.module is irev else []),
                *(_filled(f"{n}: TypeAlias = ({t})", "") for t, n in self.type_names.items()),
                *(f"\n{each}" for each in (*functions, *classes)),
                "",
            ]
        )

    def _name_repeated_types(self, public: dict[str, Any], pattern: str) -> None:
        """Give names to the words, or to the types that are made of them."""
        self.keywords_of_type.clear()
        [*self._functions(public)]
        for text, keywords in self.keywords_of_type.items():
            is_words = text.startswith("Literal[") and "|" not in text
            if len(text) > LONG and len(keywords) > 1 and is_words == ("Word" in pattern):
                name = pattern.format(min(keywords, key=len).title().replace("_", ""))
                num_twins = sum(each.rstrip("23") == name for each in self.type_names.values())
                self.type_names[text] = name + (str(num_twins + 1) if num_twins else "")
                self.imports.add(("typing", "TypeAlias"))

    def _functions(self, public: dict[str, Any]) -> Iterator[str]:
        for name, value in public.items():
            if hasattr(value, "options"):
                yield from self._job(name, value)
            elif inspect.isfunction(value):
                source = source_of(value.__module__)
                types = TypeTexts(source, self.imports)
                *overloads, last = source.functions[name]
                for node in overloads or [last]:
                    arguments = _arguments(node.args, types)
                    returns = types.text(node.returns)
                    yield self._definition(
                        name, arguments, returns, value, is_overload=bool(overloads)
                    )

    def _job(self, name: str, job: Any) -> Iterator[str]:
        """A job with its inputs, a record of its options, and these as keywords."""
        function = inspect.unwrap(job.run)
        code = function.__code__
        source = source_of(
            function.__globals__["__name__"]
        )  # for `score_job` that of the decorator
        node = next(
            each
            for each in source.functions[code.co_name]
            if code.co_firstlineno in {each.lineno, *(d.lineno for d in each.decorator_list)}
        )
        inputs = _arguments(node.args, TypeTexts(source, self.imports), without="options")
        own_keywords = inputs[inputs.index("*") + 1 :] if "*" in inputs else []
        inputs = inputs[: inputs.index("*")] if "*" in inputs else inputs
        record = Options if issubclass(job.options, Options) else job.options
        self.imports.add((record.__module__, record.__name__))
        arguments = [
            *inputs,
            f"options: {record.__name__} | None = None",
            *([] if node.args.vararg else ["*"]),
            *own_keywords,
            *(
                f"{each}: {self._keyword_type(job.options, each, field)} = {_shown(field.default)}"
                for each, field in keyword_fields(job.options)
            ),
        ]
        types = TypeTexts(source_of(job.__module__), self.imports)
        returns = function.__annotations__["return"]
        if name not in RETURNS_BY_ARGUMENT:
            returns = returns if isinstance(returns, str) else returns.__name__
            yield self._definition(name, arguments, types.text(_parsed(returns)), job)
            return
        argument, cases = RETURNS_BY_ARGUMENT[name]
        for argument_type, returns in cases:
            text = f"{argument}: {types.text(_parsed(argument_type))}"
            text += " = None" if argument_type == "None" else ""
            of_case = [text if each.startswith(f"{argument}:") else each for each in arguments]
            yield self._definition(
                name, of_case, types.text(_parsed(returns)), job, is_overload=True
            )

    def _keyword_type(self, options: type[OptionRecord], name: str, field: Field) -> str:
        """The type of an option, with its words, and with one in place of a list."""
        source, annotation = next(
            (source_of(owner.__module__), node.annotation)
            for owner in options.__mro__
            if owner is not object
            for node in source_of(owner.__module__).classes[owner.__name__].body
            if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == name
        )
        text = TypeTexts(source, self.imports).text(annotation)
        if field.choices and "Literal[" not in text:
            self.imports.add(("typing", "Literal"))
            words = self._name_of(_literal(field.choices), name)
            text = text.replace("str", words, 1)
        if field.is_sequence:
            # Sequence[item], beside others
            item = next(
                _unparsed(node.slice)
                for node in ast.walk(_parsed(text))
                if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Sequence"
            )
            if field.scalar_type is str or field.opt.file:
                text = f"{item} | {text}"
            elif item.startswith("tuple[") and "Mapping[" not in text:
                self.imports.add(("collections.abc", "Mapping"))
                text = f"Mapping{item.removeprefix('tuple')} | {text}"
        return self._name_of(text, name)

    def _name_of(self, text: str, keyword: str) -> str:
        """The name of a type, where it has one."""
        self.keywords_of_type.setdefault(text, []).append(keyword)
        return self.type_names.get(text, text)

    def _definition(
        self,
        name: str,
        arguments: Iterable[str],
        returns: str,
        function: Any,
        *,
        is_overload: bool = False,
    ) -> str:
        """A function, an argument on each line."""
        if is_overload:
            self.imports.add(("typing", "overload"))
        doc = str(function.__doc__).partition("\n")[0]
        return "\n".join(
            [
                *(["@overload"] if is_overload else []),
                f"def {name}(",
                *(_filled(f"{each},", "    ") for each in arguments),
                f') -> {returns}:\n    """{doc}"""',
            ]
        )

    def _class_lines(self, cls: type) -> Iterator[str]:
        """The import of a class, and as comments what is public in it."""
        yield f"from {cls.__module__} import {cls.__name__} as {cls.__name__}"
        source = source_of(cls.__module__)
        types = TypeTexts(source, set())
        for node in source.classes[cls.__name__].body:
            if isinstance(node, ast.AnnAssign):
                name, text = ast.unparse(node.target), f": {types.text(node.annotation)}"
                if "ClassVar" in text:
                    continue
            elif isinstance(node, ast.FunctionDef):
                decorators = {ast.unparse(each) for each in node.decorator_list}
                name, text = node.name, f": {types.text(node.returns)}"
                if not decorators & {"property", "cached_property"}:
                    arguments = ", ".join(_arguments(node.args, types)[1:])
                    text = f"({arguments}) -> {types.text(node.returns)}"
            else:
                continue
            if not name.startswith("_"):
                yield _filled(f".{name}{text}", "#     ", "#         ")


def _arguments(arguments: ast.arguments, types: TypeTexts, without: str = "") -> list[str]:
    """The arguments of a function, each with its type and its default, but for one."""
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    defaults += arguments.defaults
    pairs = zip(positional, defaults, strict=True)
    texts = [_argument(*each, types) for each in pairs if each[0].arg != without]
    if arguments.posonlyargs:
        texts.insert(len(arguments.posonlyargs), "/")
    if arguments.vararg:
        texts.append("*" + _argument(arguments.vararg, None, types))
    elif arguments.kwonlyargs:
        texts.append("*")
    keywords = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    texts += [_argument(*each, types) for each in keywords if each[0].arg != without]
    if arguments.kwarg:
        texts.append("**" + _argument(arguments.kwarg, None, types))
    return texts


def _argument(argument: ast.arg, default: ast.expr | None, types: TypeTexts) -> str:
    kind = f": {types.text(argument.annotation)}" if argument.arg != "self" else ""
    text = "" if default is None else f" = {_unparsed(default)}"
    if isinstance(default, ast.Name):
        module_name, name = types.source.home(default.id)
        text = f" = {_shown(getattr(import_module(module_name), name))}"
    return f"{argument.arg}{kind}{text}"


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _unparsed(node: ast.AST) -> str:
    return _double_quoted(ast.unparse(node))


def _shown(value: object) -> str:
    return _double_quoted(repr(value))


def _double_quoted(text: str) -> str:
    return text if '"' in text else text.replace("'", '"')


def _literal(words: Sequence[str]) -> str:
    return f"Literal[{', '.join(map(_shown, words))}]"


def _import_line(module_name: str, names: Sequence[str]) -> str:
    line = f"from {module_name} import {', '.join(names)}"
    return line if len(line) <= WIDTH else f"from {module_name} import (\n    {', '.join(names)}\n)"


def _filled(text: str, indent: str, further: str = "") -> str:
    """A text in lines that are not too long."""
    return fill(
        text, WIDTH, initial_indent=indent, subsequent_indent=further or f"{indent}    ",
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def stubs() -> dict[Path, str]:
    """The text of every stub, by its file."""
    return {
        Path(str(import_module(name).__file__)).with_suffix(".pyi"): Stub(name).text()
        for name in MODULES
    }


def main() -> None:
    """Write them."""
    for path, text in stubs().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
