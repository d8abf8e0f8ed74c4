"""`python -m discreet`, for where the command is not on the path."""

from discreet.cli.start import run

run()
