"""`python -m campaign.promises --seed 1 --count 10000`, or `… --replay campaign/results/promises/00017`."""

from __future__ import annotations

from campaign.judged import Campaign
from campaign.promises.outsider import KINDS
from campaign.promises.policies import FAMILIES
from campaign.promises.runs import run

if __name__ == "__main__":
    Campaign("promises", str(__doc__), FAMILIES, run, KINDS).main()
