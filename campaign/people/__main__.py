"""`python -m campaign.people --seed 1 --count 1000`, or `… --replay campaign/results/people/00017`."""

from __future__ import annotations

from campaign.judged import Campaign
from campaign.people.outsider import KINDS
from campaign.people.policies import FAMILIES
from campaign.people.runs import run

if __name__ == "__main__":
    Campaign("people", str(__doc__), FAMILIES, run, KINDS).main()
