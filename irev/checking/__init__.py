"""Checking runs and qrels: `check(path)` finds everything that is wrong or suspicious."""

from irev.checking.check import check
from irev.checking.report import FileReport, Finding
from irev.checking.rules import PROFILES, CheckRules
from irev.checking.several import check_all

__all__ = ["PROFILES", "CheckRules", "FileReport", "Finding", "check", "check_all"]
