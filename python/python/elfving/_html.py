"""Text that cannot become markup."""

from __future__ import annotations


def escape(text: str) -> str:
    """The text as HTML shows it; `html.escape` does the same and takes long to import."""
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#x27;")):
        text = text.replace(character, entity)
    return text
