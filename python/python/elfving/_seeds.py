"""Randomness is an argument."""

from __future__ import annotations

from typing import Any

from ._numpy import np
from .exceptions import OptionError


def seed_of(random_state: Any) -> int:
    """A seed: a whole number as it is, one drawn from a NumPy generator, or a fresh one for ``None``."""
    if random_state is None:
        import secrets  # here, because importing it takes as long as the rest of the package

        return secrets.randbits(63)
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, (bool, np.bool_)):
        if 0 <= random_state < 2**64:
            return int(random_state)
    elif isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    elif isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    raise OptionError(f"random_state is a whole number >= 0, a NumPy generator or None, not {random_state!r}")
