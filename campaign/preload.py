"""What every worker needs, imported once."""

from __future__ import annotations

import discreet.audit.audit
import discreet.cli.main
import discreet.cli.start
import discreet.report.pages.audit_page
import discreet.report.pages.compare_page
import discreet.report.pages.methods_page
import discreet.report.text
import discreet.run.anonymize
import discreet.run.apply
import discreet.run.compare
import discreet.run.from_summary
import discreet.run.methods
import discreet.run.sweep
import discreet.summaries.files  # noqa: F401
