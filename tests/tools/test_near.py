"""`make test-near`: which tests look at a file."""

from __future__ import annotations

from tools.near import nearest_tests


def test_of_a_module_its_room_and_those_that_import_it() -> None:
    near = nearest_tests("irev/rank/ranking.py")
    assert {"tests/rank/test_rank.py", "tests/test_layers.py"} <= {*near}
    assert "tests/read/test_columns.py" in nearest_tests("irev/read/columns.py")
    assert "tests/cli/test_help.py" not in near
    assert "tests/golden/test_golden.py" in nearest_tests("tests/golden/test_golden.py")


def test_of_other_files_documentation_and_packaging() -> None:
    assert nearest_tests("README.md") == ["tests/test_readme.py", "tests/test_packaging.py"]
    assert nearest_tests("tests/rank/test_that_is_gone.py") == []
