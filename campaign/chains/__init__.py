"""Random chains of releases about changing tables, published by the real thing and judged by an outsider.

She shares no code with `src/discreet`. She has all releases and all tables, and is told by the custodian's ledgers who
has which signature; what they say is held against tables and files first.
"""
