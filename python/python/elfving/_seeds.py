"""Randomness is an argument."""

from __future__ import annotations

from typing import Any

from ._numpy import np
from .exceptions import OptionError


def seed_of(seed: Any) -> int:
    """A seed: a whole number as it is, one drawn from a NumPy generator, or a fresh one for ``None``."""
    if seed is None:
        import secrets  # here, because importing it takes as long as the rest of the package

        return secrets.randbits(63)
    if isinstance(seed, (int, np.integer)) and not isinstance(seed, (bool, np.bool_)):
        if 0 <= seed < 2**64:
            return int(seed)
    elif isinstance(seed, np.random.Generator):
        return int(seed.integers(2**63))
    elif isinstance(seed, np.random.RandomState):
        return int(seed.randint(2**31 - 1))
    raise OptionError(f"seed is a whole number >= 0, a NumPy generator or None, not {seed!r}")
