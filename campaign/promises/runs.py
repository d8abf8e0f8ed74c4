"""One run of the campaign: a case is drawn, published by the real thing, and judged."""

from __future__ import annotations

from campaign.promises.crew import Result, run_case
from campaign.promises.outsider import judge
from campaign.promises.policies import make
from campaign.promises.product import ask
from campaign.workers import Job


def run(job: Job) -> Result:
    """What workers do."""
    return run_case(job, make, ask, judge)
