"""`python -m campaign.chains --seed 1 --count 1000`, or `… --replay campaign/results/chains/00017`."""

from __future__ import annotations

from campaign.chains.outsider import KINDS
from campaign.chains.policies import FAMILIES
from campaign.chains.runs import run
from campaign.judged import Campaign

if __name__ == "__main__":
    Campaign("chains", str(__doc__), FAMILIES, run, KINDS).main()
