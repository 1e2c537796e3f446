"""Checking runs and qrels: `check(path)` finds everything that is wrong or suspicious."""

from irev.checking.check import check, check_all
from irev.checking.report import FileReport, Finding
from irev.checking.rules import PROFILES, CheckRules

__all__ = ["PROFILES", "CheckRules", "FileReport", "Finding", "check", "check_all"]
