"""What is wanted of the measurements."""

from __future__ import annotations

from typing import Any

from .exceptions import OptionError


def goal_of(goal: str, epsilon: float, top: int, horizon: int | None) -> dict[str, Any]:
    """A goal as the library spells it."""
    match goal:
        case "best" | "all-good" | "map":
            return {"goal": goal, "epsilon": epsilon}
        case "top":
            return {"goal": goal, "count": top, "epsilon": epsilon}
        case "regret":
            return {"goal": goal, "horizon": horizon}
    raise OptionError(f"there is no goal {goal!r}; the goals are best, top, all-good, regret and map")


def tails_of(noise: str) -> str:
    """The assumed tails of the noise."""
    if noise not in ("sub-gaussian", "bounded-variance"):
        raise OptionError(f"noise is 'sub-gaussian' or 'bounded-variance', not {noise!r}")
    return noise
