"""Elfving: which candidates to measure next, how often, and when to stop.

>>> import numpy as np, elfving
>>> pool = elfving.Pool(np.linspace(-1, 1, 41).reshape(-1, 1), polynomial_model=2)
>>> plan = elfving.design(pool, "d")
>>> [round(float(x), 3) for x in pool.coordinates[plan.support, 0]]
[-1.0, 0.0, 1.0]

The modules and functions have the names of the command line and of the documentation.
"""

from __future__ import annotations

from . import exceptions, kernels
from ._campaign import Batch, Campaign, Slot, Status, Told
from ._design import Certificate, Design, Efficiency, design
from ._native import __version__
from ._pool import Pool
from ._progress import Progress
from .exceptions import *  # noqa: F403

__all__ = [
    "Batch",
    "Campaign",
    "Certificate",
    "Design",
    "Efficiency",
    "Pool",
    "Progress",
    "Slot",
    "Status",
    "Told",
    "__version__",
    "design",
    "exceptions",
    "kernels",
    *exceptions.__all__,
]
