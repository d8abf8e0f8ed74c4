"""When a release was made, which differs between runs that are alike otherwise."""

from __future__ import annotations


def without_moment(text: str, created: str) -> str:
    """A file's text without the moment of its manifest: to the second, and as pages tell it, to the minute or day."""
    told = (created, f"{created[:10]} {created[11:16]} UTC", created[:10])
    for moment in told:
        text = text.replace(moment, "TIME")
    return text
