"""One run of the campaign: a table of visits is drawn, published by the real thing, and judged by people."""

from __future__ import annotations

from campaign.people.outsider import judge
from campaign.people.policies import make
from campaign.people.product import ask
from campaign.promises.crew import Result, run_case
from campaign.workers import Job


def run(job: Job) -> Result:
    """What workers do."""
    return run_case(job, make, ask, judge)
