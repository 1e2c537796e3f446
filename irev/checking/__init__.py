"""Checking runs and qrels: `check(path)` finds everything that is wrong or suspicious."""

from irev.checking.check import check, check_all
from irev.checking.report import Finding, Report
from irev.checking.rules import PROFILES, Rules

__all__ = ["PROFILES", "Finding", "Report", "Rules", "check", "check_all"]
