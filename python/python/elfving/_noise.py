"""The assumed tails of the noise."""

from __future__ import annotations

from .exceptions import OptionError


def tails_of(noise: str) -> str:
    """The tails as the library spells them."""
    if noise not in ("sub-gaussian", "bounded-variance"):
        raise OptionError(f"noise is 'sub-gaussian' or 'bounded-variance', not {noise!r}")
    return noise
