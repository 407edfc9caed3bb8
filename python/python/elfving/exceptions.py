"""What can go wrong, one class for each kind of refusal.

Every exception of the package is an :class:`ElfvingError`. Those about values are also a ``ValueError``, those about files
also an ``OSError``, so that ordinary ``except`` clauses catch them too.
"""

from __future__ import annotations

__all__ = [
    "BudgetError",
    "CampaignExistsError",
    "ConflictError",
    "CorruptCampaign",
    "DataError",
    "DataWarning",
    "DurabilityError",
    "ElfvingError",
    "InternalError",
    "LockedError",
    "MissingFileError",
    "NotIdentifiable",
    "NotPositiveSemidefinite",
    "NumericalError",
    "OptionError",
    "RoundIncomplete",
    "UnknownSlot",
    "VersionError",
]


class ElfvingError(Exception):
    """Any refusal of the package."""


class OptionError(ElfvingError, ValueError):
    """An option is outside its domain, or options do not go together."""


class DataError(ElfvingError, ValueError):
    """An array, a table or a file of results is refused; the message names the cell."""


class MissingFileError(DataError, FileNotFoundError):
    """There is no such file."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class CampaignExistsError(OptionError, FileExistsError):
    """A campaign never takes the place of another file."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class UnknownSlot(DataError):
    """A result names a slot that was never asked; the message has the nearest one."""


class ConflictError(DataError):
    """A slot has another outcome already; :meth:`elfving.Campaign.correct` replaces it."""


class RoundIncomplete(ElfvingError):
    """A round with open slots does not close by itself."""


class NumericalError(ElfvingError, ArithmeticError):
    """There is no trustworthy answer at this scale of the numbers."""


class NotIdentifiable(NumericalError):
    """No design on this pool determines the target; a ridge ``gamma`` does."""


class NotPositiveSemidefinite(NumericalError):
    """A kernel matrix is not symmetric, or has a negative eigenvalue."""


class BudgetError(ElfvingError):
    """The next round needs more measurements than are left."""


class CorruptCampaign(ElfvingError):
    """The file is not a campaign, or not as it was written. It was left as it is."""


class VersionError(ElfvingError):
    """The file was written by a newer version."""


class DurabilityError(ElfvingError, OSError):
    """The disk did not take it; what was on record still is."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class LockedError(ElfvingError):
    """Another process holds the file."""


class InternalError(ElfvingError):
    """A bug of this package. Please report it."""


class DataWarning(UserWarning):
    """Something worth knowing about a pool that was accepted."""
