"""Tables with several rows a person, judged by people: `python -m campaign.people --seed 1 --count 1000`.

Each run draws a small table of people with one to eight rows, of whom none, some or all have other quasi-identifiers
from row to row, and a policy that names the column of the person. The real thing publishes, verifies and audits it; an
outsider who shares no code with it judges by the source whose rows stand in which group. She looks at all that
`campaign.promises` looks at in rows, and at the promises in people.
"""
