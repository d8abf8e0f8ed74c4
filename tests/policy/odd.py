"""Names that a column may have, and that YAML, SQL or a terminal could misread."""

from __future__ import annotations

from hypothesis import strategies as st

ODD = st.text(min_size=1, max_size=10).filter(lambda s: s.isprintable() or "\n" in s) | st.sampled_from(
    [
        "no",
        "Null",
        "2020",
        "a: b",
        "#x",
        "- y",
        "{z}",
        '"',
        "'",
        "\\",
        "a\nb",
        "\x07",
        "\u2028",
        "~",
        "*",
        "&a",
        "!t",
        "%",
        "@",
    ]
)
