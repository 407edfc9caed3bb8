"""Elfving: which candidates to measure next, how often, and when to stop.

>>> import numpy as np, elfving
>>> pool = elfving.Pool(np.linspace(-1, 1, 41).reshape(-1, 1), polynomial_model=2)
>>> plan = elfving.round(elfving.design(pool, "d"), 9)
>>> pool.coordinates[plan.counts > 0, 0]
array([-1.,  0.,  1.])

The modules and functions have the names of the command line and of the documentation.
"""

from __future__ import annotations

from . import complexity, exceptions, kernels, robust_mean
from ._bandit import Bandit, BanditReport, Pull, algorithms
from ._batch import Batch, Slot
from ._campaign import Campaign
from ._connect import RemoteCampaign, connect
from ._design import Certificate, Design, Efficiency, design
from ._diagnose import Diagnosis, Finding, diagnose
from ._estimate import RIPS, Estimates, estimate
from ._factors import Candidates, factors
from ._native import __version__
from ._plan import Forecast, plan
from ._plots import plot_design, plot_elimination, plot_intervals, plot_regret, plot_variance
from ._pool import Pool
from ._progress import Progress
from ._rounding import Allocation, Draws, draw, exact_design, round
from ._simulate import AlgorithmRuns, Simulation, simulate
from ._status import Columns, Status, Told
from .exceptions import (
    BudgetError,
    CampaignExistsError,
    ConflictError,
    CorruptCampaign,
    DataError,
    DataWarning,
    DurabilityError,
    ElfvingError,
    InternalError,
    LockedError,
    MissingFileError,
    NotIdentifiable,
    NotPositiveSemidefinite,
    NumericalError,
    OptionError,
    RoundIncomplete,
    UnknownSlot,
    VersionError,
)

__all__ = [
    "AlgorithmRuns",
    "Allocation",
    "Bandit",
    "BanditReport",
    "Batch",
    "BudgetError",
    "Campaign",
    "CampaignExistsError",
    "Candidates",
    "Certificate",
    "Columns",
    "ConflictError",
    "CorruptCampaign",
    "DataError",
    "DataWarning",
    "Design",
    "Diagnosis",
    "Draws",
    "DurabilityError",
    "Efficiency",
    "ElfvingError",
    "Estimates",
    "Finding",
    "Forecast",
    "InternalError",
    "LockedError",
    "MissingFileError",
    "NotIdentifiable",
    "NotPositiveSemidefinite",
    "NumericalError",
    "OptionError",
    "Pool",
    "Progress",
    "Pull",
    "RIPS",
    "RemoteCampaign",
    "RoundIncomplete",
    "Simulation",
    "Slot",
    "Status",
    "Told",
    "UnknownSlot",
    "VersionError",
    "__version__",
    "algorithms",
    "complexity",
    "connect",
    "design",
    "diagnose",
    "draw",
    "exact_design",
    "estimate",
    "exceptions",
    "factors",
    "kernels",
    "plan",
    "plot_design",
    "plot_elimination",
    "plot_intervals",
    "plot_regret",
    "plot_variance",
    "robust_mean",
    "round",
    "simulate",
]
