"""One run of the campaign: a chain of tables is drawn, published by the real thing, and judged."""

from __future__ import annotations

from campaign.chains.outsider import judge
from campaign.chains.policies import make
from campaign.chains.product import ask
from campaign.promises.crew import Result, run_case
from campaign.workers import Job


def run(job: Job) -> Result:
    """What workers do."""
    return run_case(job, make, ask, judge)
