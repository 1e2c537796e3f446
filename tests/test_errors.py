"""Problems and warnings: every one is of a kind that `irev.errors` knows."""

import ast
from pathlib import Path

import irev
from irev import errors
from irev.errors import KINDS, SEVERITIES, Problem
from irev.read.formats import JUDGMENTS, RUNS

_IREV = Path(irev.__file__).parent
_PLACE = Problem._fields.index("kind")


def _kinds_of_problems() -> list[tuple[str, str]]:
    """Where a problem is made, and its kind as the source says it; "" is none."""
    kinds = []
    for path in sorted(_IREV.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "Problem(" not in text and ".problem(" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if not isinstance(node, ast.Call):
                continue
            named = next((each.value for each in node.keywords if each.arg == "kind"), None)
            if isinstance(node.func, ast.Name) and node.func.id == "Problem":
                kind = named or node.args[_PLACE]
            elif isinstance(node.func, ast.Attribute) and node.func.attr == "problem" and named:
                kind = named
            else:
                continue
            kinds.append((f"{path.name}:{node.lineno}", ast.unparse(kind)))
    return kinds


def test_every_problem_is_of_a_kind() -> None:
    """Every `Problem(...)` of the package names its kind, or hands on one that was named."""
    kinds = _kinds_of_problems()
    assert len(kinds) > 40
    # of a column of numbers the kind is the column's
    codes = {repr(code) for code in KINDS} | {"kind", "f'bad-{layout.number}'"}
    codes |= {
        name for name, value in vars(errors).items() if isinstance(value, str) and value in KINDS
    }
    assert [each for each in kinds if each[1] not in codes and not each[1].endswith(".kind")] == []
    numbers = {of.number for form in (*RUNS.values(), *JUDGMENTS.values()) for of in form.layouts}
    assert {f"bad-{number}" for number in numbers} <= KINDS.keys()


def test_every_kind_has_a_severity_and_a_meaning() -> None:
    """A kind is as bad as it says, and says in a few words what it is, in any file's name."""
    for code, (severity, meaning) in KINDS.items():
        assert severity in SEVERITIES
        assert 10 < len(meaning) < 90, code
        assert meaning[-1] != "."
        assert code == code.lower()
