"""What every worker needs, imported once."""

from __future__ import annotations

import discreet.application
import discreet.audit.everybody
import discreet.cli.main
import discreet.cli.start
import discreet.compare
import discreet.instant
import discreet.methods
import discreet.pipeline
import discreet.report.audit_page
import discreet.report.compare_page
import discreet.report.methods_page
import discreet.report.text
import discreet.summaries.files  # noqa: F401
