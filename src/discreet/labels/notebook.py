"""How a page of ours is shown in a notebook: whole, and without a word to the notebook around it."""

from __future__ import annotations

from html import escape

_HEIGHT = "34em"
_STYLE = "display:block;box-sizing:border-box;width:100%;border:1px solid #8884;border-radius:6px;resize:vertical"


def in_frame(page: str, height: str = _HEIGHT) -> str:
    """A page in a frame of its own: its styles end there, nothing in it runs, and it can be pulled larger.

    >>> in_frame("<p>5 < 6</p>")[-46:]
    'srcdoc="&lt;p&gt;5 &lt; 6&lt;/p&gt;"></iframe>'
    """
    style = f"{_STYLE};height:{height}"
    return f'<iframe sandbox="" title="discreet" style="{style}" srcdoc="{escape(page, quote=True)}"></iframe>'
