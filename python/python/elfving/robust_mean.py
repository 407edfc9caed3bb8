"""Means that survive heavy tails, each with the bound that it keeps.

``|estimate - mean| <= deviation`` holds with probability at least ``1 - delta``, for independent samples whose variance (or
second moment, for the truncated means) is at most the bound that is given. A bound estimated from the same sample is no bound.

>>> import numpy as np
>>> samples = np.arange(1, 41) % 7 - 3.0
>>> samples[-1] += 250.0  # one wild outlier: the plain mean is 6.25
>>> abs(catoni(samples, variance=9.0, delta=0.05).estimate) < 1.5
True
"""

from __future__ import annotations

from typing import Any, NamedTuple

from . import _native
from ._arrays import vector

__all__ = ["RobustMean", "catoni", "median_of_means", "plain", "soft_truncated", "trimmed", "truncated"]


class RobustMean(NamedTuple):
    """An estimate and how far off it may be."""

    estimate: float
    deviation: float

    @property
    def interval(self) -> tuple[float, float]:
        """Both ends."""
        return self.estimate - self.deviation, self.estimate + self.deviation


def _mean(name: str, samples: Any, bound: float, delta: float) -> RobustMean:
    return RobustMean(*_native.robust_mean(name, vector(samples, "the samples"), bound, delta))


def catoni(samples: Any, *, variance: float, delta: float = 0.05) -> RobustMean:
    """Catoni's mean, as in the paper; needs more than 2 log(2/delta) samples."""
    return _mean("catoni", samples, variance, delta)


def soft_truncated(samples: Any, *, second_moment: float, delta: float = 0.05) -> RobustMean:
    """One pass with the centre at 0: any number of samples, and never wider."""
    return _mean("soft-truncated", samples, second_moment, delta)


def truncated(samples: Any, *, second_moment: float, delta: float = 0.05) -> RobustMean:
    """The mean of samples cut at a level that grows with their number."""
    return _mean("truncated", samples, second_moment, delta)


def median_of_means(samples: Any, *, variance: float, delta: float = 0.05) -> RobustMean:
    """The median of the means of blocks; the variance enters the deviation only."""
    return _mean("median-of-means", samples, variance, delta)


def trimmed(samples: Any, *, variance: float, delta: float = 0.05) -> RobustMean:
    """The mean without the smallest and largest samples; the variance enters the deviation only."""
    return _mean("trimmed", samples, variance, delta)


def plain(samples: Any, *, variance: float, delta: float = 0.05) -> RobustMean:
    """The plain mean, with Chebyshev's deviation: what the others are compared with."""
    return _mean("plain", samples, variance, delta)
