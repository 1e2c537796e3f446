"""Checking runs and qrels: `check(path)` finds everything that is wrong or suspicious."""

from irev.jobs.check.check import check
from irev.jobs.check.report import FileReport, Finding
from irev.jobs.check.rules import PROFILES, CheckRules
from irev.jobs.check.several import check_all

__all__ = ["PROFILES", "CheckRules", "FileReport", "Finding", "check", "check_all"]
