"""Options, each declared once: a field of a record says all that there is to know of an option.

The field's name is the keyword in Python and the key in irev.toml; its annotation has the type, the
choices, and (`Opt`) the spellings, the help and the range; its default is the default:

    class CompareOptions(ResultOptions):
        alpha: Annotated[float, Opt("--alpha", metavar="A", help="The level of tests.")] = 0.05

What computes takes `ResultOptions`, all of which a signature can hold; what writes takes
`OutputOptions`. The type checker keeps the two apart.
"""

from __future__ import annotations

import math
import operator
import os
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    Self,
    TypeAlias,
    TypeVar,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
)

from irev.core.text import parse_c_number
from irev.errors import InputError, IrevError, Notice, UsageError, shown_value, warn

if TYPE_CHECKING:
    from dataclasses import KW_ONLY


PathKind = Literal["", "always", "maybe", "written"]
"""Whether a text is the path of a file: no; of one that is read; perhaps; of one to write."""

Effect = Literal["values", "means", "reading", "draws", "nothing"]
"""What an option can change: values; only means; which columns there are and which files are read,
but no value; values where something is drawn; nothing."""


@dataclass_transform(frozen_default=True)
class _OptFacts:
    """A record whose defaults stay on the class: declared and made faster than a dataclass."""

    def __init__(self, *spellings: str, **facts: Any) -> None:
        vars(self).update(zip(("spelling", "other_spelling"), spellings, strict=False), **facts)


class Opt(_OptFacts):
    """What there is to say of an option beside its name, type and default."""

    spelling: str = ""
    """Such as `-m`; without any the option stands in configuration files alone."""
    other_spelling: str = ""
    """Such as `--measure`, behind a short one."""
    _: KW_ONLY
    help: str | Callable[[], str] = ""
    """For the command line, or what gives it; to a text the default is added where it does not
    speak of it."""
    metavar: str = ""
    """How the help calls a value."""
    section: str = "Options"
    """Of the help."""
    help_order: int = 0
    """Options stand in the help by rising numbers; 0 is that of the one declared before."""
    least: int | None = None
    """The smallest number allowed."""
    most: int | None = None
    """The largest number allowed."""
    keeps_whole: bool = False
    """Whether a number without a fraction is held as an int: 2 and 2.0 are 2."""
    open_interval: tuple[float, float] | None = None
    """Both ends of what a number lies between, not on."""
    choices: Collection[str] | Callable[[], Collection[str]] = ()
    """The words that a text can be, or what gives them."""
    noun: str = ""
    """What messages about a wrong choice call it."""
    value_of_word: Mapping[str, Any] | None = None
    """What words of the command line stand for, where the values are no text."""
    parse: Callable[[str], Any] | None = None
    """Makes a value of a text; a ValueError is the user's mistake."""
    flag_value: Any = None
    """What this flag sets a field to, beside the option that can set it to anything."""
    pair_key: str = ""
    """The option gives a field of pairs the one that begins with this word."""
    file: PathKind = ""
    """Whether a value is the path of a file that is read ("always"), or may be one ("maybe"); or of
    one that is written ("written")."""
    effect: Effect = "values"
    """What the option can change."""
    signature_order: int = 0
    """Where a signature names the option first, whatever its value; 0: where it is not at its
    default."""
    signature_name: str = ""
    """What the short form of a signature calls it."""
    sign_content: bool = False
    """Whether a signature has the content in place of the value."""
    is_table: bool = False
    """Whether a configuration file may have a table for texts such as NAME=X: of numbers, or, where
    `parse` reads all pairs of one text, of texts too."""
    completions: Callable[[], Iterator[tuple[str, str]]] | None = None
    """Gives (value, help) that a text may be the beginning of."""
    in_short_help: bool | None = None
    """Whether the short help has the option, by the first sentence of its help; None: where it is
    an option of few commands."""

    @property
    def names(self) -> tuple[str, ...]:
        """The spellings."""
        return tuple(filter(None, (self.spelling, self.other_spelling)))

    @property
    def help_text(self) -> str:
        """The help."""
        return self.help() if callable(self.help) else self.help

    @property
    def long_name(self) -> str:
        """The last long spelling, without dashes."""
        return next((n[2:] for n in reversed(self.names) if n.startswith("--")), "")

    def replace(self, **facts: Any) -> Opt:
        """The same option with other facts."""
        return Opt(**vars(self) | facts)


_SCALARS: Mapping[Any, tuple[str, Callable[[Any], Any]]] = {
    bool: ("true or false", lambda value: value),
    int: ("a whole number", operator.index),
    float: ("a number", float),
    str: ("text", lambda value: value),
}
"""Type -> (how messages call it, what makes it of what is like it)."""


_LARGEST_WHOLE = 2**63 - 1
"""Of options that set no limit of their own: what arrays of whole numbers hold."""


def _finite_int_if_whole(value: Any) -> int | float:
    """A finite number as an int, if it is whole, so that it is written without a fraction."""
    try:
        return operator.index(value)
    except TypeError:
        number = float(value)
    if not math.isfinite(number):
        raise ValueError("not finite")
    return int(number) if number.is_integer() else number


_FINITE = ("a finite number", _finite_int_if_whole)


class Field:
    """An option as a record has it.

    opts         what is said of it, by what the command line calls each option: as the field, if
                 the option gives all of it, else by its long spelling
    opt          the option that can be anything; the first, where all give a pair
    type         what the record says of its values, for those who read
    scalar_type  bool, int, float or str where it can be nothing else beside words, and None
    is_sequence  whether it is a sequence of such values
    """

    def __init__(self, name: str, annotation: Any, default: Any) -> None:
        kind, *opts = get_args(annotation)
        self.name, self.default = name, default
        self.opt: Opt = next((o for o in opts if o.flag_value is None and not o.pair_key), opts[0])
        self.opts: Mapping[str, Opt] = {
            name if opt is self.opt and not opt.pair_key else opt.long_name.replace("-", "_"): opt
            for opt in opts
        }
        self.type = getattr(kind, "__forward_arg__", kind)
        self.is_sequence = False
        self._words: tuple[str, ...] = ()
        self.may_be_none = default is None
        self.scalar_type: type | None = kind
        self.is_open = False
        if kind not in _SCALARS:
            self._read_annotation(kind)

    def _read_annotation(self, annotation: Any) -> None:
        """Find out what a type allows that is made of others; a mapping stands for its items."""
        kind = annotation
        if get_origin(kind) is UnionType:
            others = [each for each in get_args(kind) if get_origin(each) is not Mapping]
            kind = others[0] if len(others) == 1 else kind
        self.is_sequence = get_origin(kind) is Sequence
        kind = get_args(kind)[0] if self.is_sequence else kind
        kinds = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
        self._words = tuple(w for k in kinds if get_origin(k) is Literal for w in get_args(k))
        self.may_be_none = self.may_be_none or NoneType in kinds
        others = [k for k in kinds if get_origin(k) is not Literal and k is not NoneType]
        self.scalar_type = others[0] if len(others) == 1 and others[0] in _SCALARS else None
        self.is_open = bool(others) and self.scalar_type is None

    @property
    def choices(self) -> tuple[str, ...]:
        """The words that it can be."""
        more = self.opt.choices
        return (*self._words, *(more() if callable(more) else more))

    def combine(self, option_values: Mapping[str, Any]) -> Any:
        """The value of a field of several options, of the values of these by name."""
        if self.opt.pair_key:
            pairs = [(opt.pair_key, option_values.get(name)) for name, opt in self.opts.items()]
            return tuple((key, value) for key, value in pairs if value is not None)
        value = option_values.get(self.name)
        for name, opt in self.opts.items():
            if opt is not self.opt and option_values.get(name):
                if value not in (None, opt.flag_value):
                    raise UsageError(
                        f"{opt.names[0]} means {self.opt.names[-1]} {opt.flag_value}: it "
                        f"contradicts {self.opt.names[-1]} {value}"
                    )
                value = opt.flag_value
        return self.default if value is None else value

    def check(self, value: Any) -> Any:
        """A value as the record holds it; a UsageError if it cannot be one."""
        if value is None and self.may_be_none:
            return None
        if not self.is_sequence:
            return self._check_scalar(value)
        is_path = self.opt.file and isinstance(value, str | os.PathLike | Mapping)
        if is_path or (isinstance(value, str) and self.scalar_type is str):
            value = [value]
        if self.is_open and isinstance(value, Mapping):
            value = tuple(value.items())
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise UsageError(f"{self.name} must be a list, not {shown_value(value)}")
        return tuple(self._check_scalar(each) for each in value)

    def _check_scalar(self, value: Any) -> Any:
        words = self.choices
        if words and (isinstance(value, str) or not (self.scalar_type or self.is_open)):
            if value in words:
                return value
            wrong = f"{self.name} cannot be"
            if self.opt.noun:
                wrong = f"there is no {self.opt.noun}"
            near = did_you_mean(value, words) if isinstance(value, str) else ""
            raise UsageError(f"{wrong} {shown_value(value)}: {', '.join(words)}{near}")
        if self.scalar_type is None:
            return value
        noun, convert = _FINITE if self.opt.keeps_whole else _SCALARS[self.scalar_type]
        is_like = isinstance(value, str) == (self.scalar_type is str)
        if not is_like or isinstance(value, bool) != (self.scalar_type is bool):
            raise UsageError(f"{self.name} must be {noun}, not {shown_value(value)}")
        try:
            number = convert(value)
        except (TypeError, ValueError, OverflowError):
            raise UsageError(f"{self.name} must be {noun}, not {shown_value(value)}") from None
        self._check_range(number)
        return number

    def _check_range(self, number: Any) -> None:
        least, most = self.opt.least, self.opt.most
        if most is None and isinstance(number, int):
            most = _LARGEST_WHOLE
        if least is not None and number < least:
            raise UsageError(f"{self.name} must be at least {least}, not {shown_value(number)}")
        if most is not None and number > most:
            raise UsageError(f"{self.name} must be at most {most}, not {shown_value(number)}")
        low, high = self.opt.open_interval or (-math.inf, math.inf)
        if self.opt.open_interval and not low < number < high:
            raise UsageError(
                f"{self.name} must be above {low:g} and below {high:g}, not {number:g}"
            )


_HABITS = {
    **dict.fromkeys(("metric", "metrics", "measure", "measures"), "write measures='map ndcg@10'"),
    **dict.fromkeys(("k", "cutoff", "cutoffs"), "a cutoff is part of a measure: 'ndcg@10'"),
}
"""A keyword of other packages -> what to write."""


_OTHER_WORDS = {
    **dict.fromkeys(("ttest", "t-test", "student", "paired", "paired-t"), "t"),
    **dict.fromkeys(("randomization", "randomisation", "fisher", "perm"), "permutation"),
    **dict.fromkeys(("signed-rank", "rank-sum", "mann-whitney"), "wilcoxon"),
    **dict.fromkeys(("tukey", "tukey-hsd", "anova"), "hsd"),
    **dict.fromkeys(("fdr", "benjamini-hochberg", "fdr_bh"), "bh"),
    **dict.fromkeys(("benjamini-yekutieli", "fdr_by"), "by"),
    **dict.fromkeys(("westfall-young", "max-t"), "maxt"),
    **dict.fromkeys(("excel", "xlsx", "spreadsheet"), "csv"),
    **dict.fromkeys(("left", "lower"), "less"),
    **dict.fromkeys(("right", "upper", "one-sided", "one-tailed"), "greater"),
    **dict.fromkeys(("both", "two-tailed"), "two-sided"),
    "md": "markdown",
    "tex": "latex",
    "txt": "table",
}
"""A word of other programs -> the one that an option may have for it."""


def did_you_mean(word: str, known_words: Sequence[str]) -> str:
    """The end of a message about an unknown word: a hint at the nearest known one, or nothing."""
    if word in _HABITS:
        return f"; {_HABITS[word]}"
    from difflib import get_close_matches

    lower = word.lower()
    by_lower = {each.lower(): each for each in reversed(known_words)}
    begun = [each for each in known_words if len(lower) > 1 and each.lower().startswith(lower)]
    other = by_lower.get(_OTHER_WORDS.get(lower, lower))
    nearest = [other] if other else begun or get_close_matches(lower, known_words, n=1)
    return f"; did you mean '{nearest[0]}'?" if nearest else ""


class _ClassesByKeyword(NamedTuple):
    """The classes that bring the keywords; and those that bring one back, which others left out."""

    introducing_class: Mapping[str, type]
    restoring_class: Mapping[str, type]


Base = TypeVar("Base", bound="OptionRecord")


@dataclass_transform(frozen_default=True, kw_only_default=True)
class OptionRecord:
    """Options that belong together: typed, checked, frozen, equal by value."""

    without: ClassVar[Collection[str]] = ()
    """Inherited fields that stay at their defaults, and are no keywords, unless this class or one
    further down declares a field of that name, which has nothing to do with the one above."""
    are_shared: ClassVar[bool] = False
    """Whether many jobs have the fields that this class itself declares."""

    @classmethod
    @cache
    def fields(cls) -> Mapping[str, Field]:
        """The options by name; made when first asked for."""
        annotations = {
            name: annotation
            for base in reversed(cls.__mro__)
            for name, annotation in _own_annotations(base).items()
        }
        return {name: Field(name, kind, getattr(cls, name)) for name, kind in annotations.items()}

    @classmethod
    @cache
    def _classes_by_keyword(cls) -> _ClassesByKeyword:
        introducing_class: dict[str, type] = {}
        restoring_class: dict[str, type] = {}
        left_out: set[str] = set()
        for each in reversed(cls.__mro__):
            for name in vars(each).get("without", ()):
                left_out.add(name)
                introducing_class.pop(name, None)
            for name in _own_annotations(each):
                if name in left_out:
                    left_out.remove(name)
                    restoring_class[name] = each
                introducing_class.setdefault(name, each)
        return _ClassesByKeyword(introducing_class, restoring_class)

    @classmethod
    def keywords(cls) -> Mapping[str, Field]:
        """The fields that are offered, by name."""
        introducing_class = cls._classes_by_keyword().introducing_class
        return {name: field for name, field in cls.fields().items() if name in introducing_class}

    @classmethod
    def keywords_by_class(cls) -> Iterator[tuple[type, Sequence[str]]]:
        """The classes from this one to the most general, each with the keywords it brings."""
        introducing_class = cls._classes_by_keyword().introducing_class
        for each in cls.__mro__:
            names = [name for name in _own_annotations(each) if introducing_class.get(name) is each]
            if names:
                yield each, names

    @classmethod
    def shared_keywords(cls) -> list[str]:
        """The keywords that many jobs have."""
        pairs = cls.keywords_by_class()
        return [n for each, names in pairs if vars(each).get("are_shared") for n in names]

    @classmethod
    def from_keywords(cls, options: OptionRecord | None, keywords: Mapping[str, Any]) -> Self:
        """The record of values by name, which go before those of other options.

        These are a record of this class, or one of a class that it inherits from: of that the
        values that are not at their defaults.
        """
        if options is None:
            return cls(**keywords)
        if isinstance(options, cls):
            return options.replace(**keywords) if keywords else options
        if not isinstance(options, OptionRecord) or not issubclass(cls, type(options)):
            name = "irev.Options" if vars(cls).get("are_shared") else cls.__name__
            raise UsageError(f"options must be {name}(...), not {options!r}")
        defaults, own_fields = options.fields(), cls.keywords()
        changed = {
            name: value
            for name, value in vars(options).items()
            if name in own_fields and value != defaults[name].default
        }
        return cls(**changed | dict(keywords))

    def base_record(self, base_class: type[Base]) -> Base:
        """The fields of another class, which this one inherits from, as a record of that.

        What this class leaves out, or means in another way, is at its default there.
        """
        if type(self) is base_class:
            return self
        classes = self._classes_by_keyword()
        names = [
            name
            for name in base_class.fields()
            if name in classes.introducing_class
            and classes.restoring_class.get(name, base_class) in base_class.__mro__
        ]
        return base_class(**{name: getattr(self, name) for name in names})

    def __init__(self, **values: Any) -> None:
        """Keep the values of the fields; those that are not given are at their defaults."""
        fields = self.fields()
        for name in values.keys() - fields.keys():
            hint = self.keyword_hint(name) or did_you_mean(name, tuple(fields))
            raise TypeError(f"{type(self).__name__} has no option '{name}'{hint}")
        for name, field in fields.items():
            value = values.get(name, field.default)
            is_default = type(value) is type(field.default) and value == field.default
            vars(self)[name] = value if is_default else field.check(value)
        self._convert_values()
        self._check()

    def _convert_values(self) -> None:
        """Put values into the form in which they are used."""

    def _check(self) -> None:
        """Refuse what makes no sense together."""

    @classmethod
    def from_option_values(cls, option_values: Mapping[str, Any]) -> Self:
        """The record of the values of the command line's options, by name.

        Other names are passed by; None, or nothing of a list, is an option that was not given.
        """
        fields = cls.fields()
        values = {
            name: option_values[name]
            for name in fields.keys() & option_values.keys()
            if option_values[name] not in (None, ())
        }
        joint = [field for name, field in fields.items() if [*field.opts] != [name]]
        return cls(**values | {field.name: field.combine(option_values) for field in joint})

    @classmethod
    def keyword_hint(cls, unknown_keyword: str) -> str:
        """A hint at the keyword, where the unknown one is an option of the command line; or ""."""
        is_cut_keyword = any(name.startswith(unknown_keyword) for name in cls.keywords())
        for field in cls.keywords().values():
            for called, opt in field.opts.items():
                spelled = {called, *(name.lstrip("-").replace("-", "_") for name in opt.names)}
                if not any(
                    name == unknown_keyword
                    or (name.startswith(f"{unknown_keyword}_") and not is_cut_keyword)
                    for name in spelled
                ):
                    continue
                value = "..." if opt.flag_value is None else repr(opt.flag_value)
                pairs = f"[({opt.pair_key!r}, ...)]"
                return f"; write {field.name}={pairs if opt.pair_key else value}"
        return ""

    def replace(self, **values: Any) -> Self:
        """The same options but for the values given here."""
        return type(self)(**{**vars(self), **values})

    def input_paths(self) -> list[str]:
        """The files that are read, as far as options name them."""
        paths = []
        for name, field in self.fields().items():
            value = getattr(self, name)
            for each in value if field.is_sequence else (value,):
                if field.opt.file in ("always", "maybe") and isinstance(each, str | os.PathLike):
                    path = os.fspath(each)
                    if field.opt.file == "always" or path == "-" or os.path.exists(path):
                        paths.append(path)
        return paths

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} cannot be changed: {name}")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(tuple(vars(self).values()))

    def __repr__(self) -> str:
        fields = self.fields()
        shown = [f"{n}={v!r}" for n, v in vars(self).items() if v != fields[n].default]
        return f"{type(self).__name__}({', '.join(shown)})"


class ResultOptions(OptionRecord):
    """Options that can change a number; a signature can hold all of them."""

    def values_by_name(self) -> dict[str, Any]:
        """What can change a number, as JSON has it; of a job without what other jobs have too."""
        fields = self.keywords()
        shared = () if vars(type(self)).get("are_shared") else self.shared_keywords()
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in vars(self).items()
            if name in fields and name not in shared and fields[name].opt.effect != "nothing"
        }


class OutputOptions(OptionRecord):
    """Options that cannot: the form of what is written, and where it goes."""


@cache
def _own_annotations(cls: type) -> Mapping[str, Any]:
    """The fields that a class itself declares, by name."""
    if cls.__module__ == "builtins":
        return {}
    annotations = getattr(cls, "__annotations__", {}).items()
    names = vars(sys.modules[cls.__module__])
    # texts, where the module has `from __future__ import annotations`
    kinds = {
        name: eval(kind, names) if isinstance(kind, str) and kind.startswith("Annotated[") else kind  # noqa: S307
        for name, kind in annotations
    }
    return {name: kind for name, kind in kinds.items() if get_origin(kind) is Annotated}


# --- What errors and warnings say of options, said of keywords ---
# A message is written once, with the options of the command line: "order by the ranks: --ties
# rank". Python says `ties="rank"` instead, by the record of options of the function that was
# called.


_PROGRAM = re.compile(r"\b(?:irev|jq|iconv|pip|gunzip|trec_eval) +[^;]*")
"""A call of a program, whose options are its own."""

_MEASURES = ("-m", "--measure")
"""Of the command line what is an argument of its own in Python: `measures`."""


def python_text(text: str, options: type[OptionRecord]) -> str:
    """A text with keywords in place of the options of the command line."""
    text = text.replace("QRELS RUN...", "qrels, runs")
    if "-" not in text:
        return text
    spellings, pattern = _spellings(options)  # type: ignore[arg-type]
    pieces: list[str] = []
    end = 0
    for call in _PROGRAM.finditer(text):
        pieces += [pattern.sub(lambda o: _keyword(o, spellings), text[end : call.start()]), call[0]]
        end = call.end()
    pieces.append(pattern.sub(lambda option: _keyword(option, spellings), text[end:]))
    # judged_only (-J)
    return re.sub(r"\b(\w+) \(\1\)", r"\1", "".join(pieces))


def reword_for_python(error: IrevError, options: type[OptionRecord]) -> None:
    """Let an error speak of keywords."""
    if isinstance(error, InputError):
        error.problems = [
            each._replace(
                message=python_text(each.message, options), hint=python_text(each.hint, options)
            )
            for each in error.problems
        ]
        error.args = InputError(error.problems).args
    else:
        error.args = tuple(
            python_text(each, options) if isinstance(each, str) else each for each in error.args
        )


def warn_in_python(notices: Iterable[Notice], options: type[OptionRecord]) -> None:
    """Python's warnings, of all that are no notes."""
    warn(
        each._replace(
            message=python_text(each.message, options), hint=python_text(each.hint, options)
        )
        for each in notices
        if not each.is_note
    )


_WORD = r"'[^']*'|[\w:]+=(?:[^\s;()]*[^\s;:().,])?|[^\s;:()]*[^\s;:().,]"
"""What stands behind an option: in quotes, pairs, or anything without the signs of a sentence."""


@cache
def _spellings(
    options: type[OptionRecord],
) -> tuple[Mapping[str, tuple[Field, Opt] | None], re.Pattern[str]]:
    """The options by their spellings, and what finds one with the word behind it."""
    spellings: dict[str, tuple[Field, Opt] | None] = dict.fromkeys(_MEASURES)
    for field in options.keywords().values():
        for opt in field.opts.values():
            spellings |= dict.fromkeys(opt.names, (field, opt))
    names = "|".join(map(re.escape, sorted(spellings, key=len, reverse=True)))
    return spellings, re.compile(rf"(?<![\w-])({names})(?![\w-])(?:[ =]({_WORD}))?")


def _keyword(match: re.Match[str], spellings: Mapping[str, tuple[Field, Opt] | None]) -> str:
    """`name=value` where a value stands behind the option, else the name."""
    option, word = match[1], match[2] or ""
    text_behind = match[0][len(option) :]
    field_and_opt = spellings[option]
    if field_and_opt is None:
        return f'measures="{word}"' if re.search(r"\W|\d|_", word) else f"measures{text_behind}"
    field, opt = field_and_opt
    if opt.is_table and opt.parse is not None and "=" in word:
        return f"{field.name}={dict(opt.parse(word.strip(chr(39))))!r}"
    if opt.flag_value is not None:
        return f"{field.name}={_python_literal(opt.flag_value)}{text_behind}"
    if opt.pair_key:
        return f'{field.name}["{opt.pair_key}"]{text_behind}'
    if field.scalar_type is bool and opt.value_of_word is None:
        return f"{field.name}{text_behind}"
    if opt.value_of_word is not None and word in opt.value_of_word:
        return f"{field.name}={_python_literal(opt.value_of_word[word])}"
    if opt.is_table and "=" in word:
        key, _, value = word.rpartition("=")
        return f'{field.name}={{"{key}": {value}}}'
    choices = field.choices
    is_number = re.fullmatch(r"-?[\d.]+(e-?\d+)?", word)
    is_name = not choices and re.search(r"[\d./@]", word)
    choices = (*choices, *field.opt.metavar.split("|"))
    if word and (word in choices or is_number or is_name or word.isupper()):
        bare = is_number or word.isupper()
        return f"{field.name}={word if bare else _python_literal(word)}"
    return f"{field.name}{text_behind}"


def _python_literal(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


# --- The ranges of measures that somebody gives: of those that irev does not know, say ---


Bounds: TypeAlias = "Sequence[float] | Mapping[str, Sequence[float]] | Sequence[Any]"
"""(low, high), or a range for each measure; a `MeasureRange`, a pair or a text for each."""


class MeasureRange(NamedTuple):
    """The least and the greatest value of a measure; without a name, of all unknown ones."""

    measure: str
    low: float
    high: float

    def __str__(self) -> str:
        name = f"{self.measure}=" if self.measure else ""
        return f"{name}{self.low:g},{self.high:g}"


def measure_ranges(bounds: Bounds) -> tuple[MeasureRange, ...]:
    """The ranges that are given as (low, high), or for each measure, {"V_strict": (0, 1)}.

    Raises:
        UsageError: these are no ranges; a range that holds nothing, or two of one measure.
    """
    pairs: Sequence[Any]
    if isinstance(bounds, Mapping):
        pairs = [*bounds.items()]
    elif isinstance(bounds, Sequence) and len(bounds) == 2 and all(map(_is_number, bounds)):
        pairs = [("", bounds)]
    elif isinstance(bounds, Sequence) and not isinstance(bounds, str):
        pairs = bounds
    else:
        raise _no_ranges_error(bounds)
    ranges = tuple(map(_measure_range_of_text_or_pair, pairs))
    names = [each.measure for each in ranges]
    for each in ranges:
        if not each.low < each.high:
            raise UsageError(f"--bounds {each}: the first number must be below the second")
        if names.count(each.measure) > 1:
            raise UsageError(f"--bounds: {each.measure or 'unknown measures'} have two ranges")
    return ranges


def _measure_range_of_text_or_pair(text_or_pair: Any) -> MeasureRange:
    """A range of a text such as "0,1" or "V=0,1", of (measure, (low, high)), or as it is."""
    if isinstance(text_or_pair, MeasureRange):
        return text_or_pair
    if isinstance(text_or_pair, str):
        measure, _, ends = text_or_pair.rpartition("=")
        low_text, _, high_text = ends.partition(",")
        low, high = parse_c_number(low_text), parse_c_number(high_text)
        if low is None or high is None:
            wrong = f"--bounds {text_or_pair}: write LOW,HIGH or MEASURE=LOW,HIGH, such as 0,1"
            raise UsageError(wrong)
        return MeasureRange(measure, low, high)
    try:
        measure, (low, high) = text_or_pair
    except (TypeError, ValueError):
        raise _no_ranges_error(text_or_pair) from None
    if not isinstance(measure, str) or not (_is_number(low) and _is_number(high)):
        raise _no_ranges_error(text_or_pair)
    return MeasureRange(measure, float(low), float(high))


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return not math.isnan(value)


def _no_ranges_error(bounds: object) -> UsageError:
    return UsageError(
        f"bounds are (low, high), or {{measure: (low, high)}} for each measure, not "
        f"{shown_value(bounds)}"
    )
