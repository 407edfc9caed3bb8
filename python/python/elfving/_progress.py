"""Progress of long calls: a callback, or tqdm if it is there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .exceptions import OptionError


class Progress(NamedTuple):
    """Where a solver stands."""

    gap: float
    iterations: int
    passes: int


ProgressOption = bool | Callable[[Progress], object] | None


class Watcher:
    """Hands progress to the user's callback, or to a bar of tqdm."""

    def __init__(self, progress: ProgressOption, tolerance: float) -> None:
        if not (progress is None or isinstance(progress, bool) or callable(progress)):
            raise OptionError(f"progress is True, False or a function, not {progress!r}")
        self._callback = progress if callable(progress) else None
        self._bar: Any = None
        self._tolerance = tolerance
        if progress is True:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                return
            self._bar = tqdm(desc="design", unit=" iterations", leave=False)

    @property
    def callback(self) -> Callable[[float, int, int], bool] | None:
        """What the compiled half calls; a true answer stops the work."""
        if self._callback is None and self._bar is None:
            return None
        return self._tell

    def _tell(self, gap: float, iterations: int, passes: int) -> bool:
        if self._bar is not None:
            self._bar.n = iterations
            self._bar.set_postfix_str(f"gap {gap:.1e}, wanted {self._tolerance:.0e}", refresh=True)
            return False
        assert self._callback is not None
        return bool(self._callback(Progress(gap, iterations, passes)))

    def __enter__(self) -> Watcher:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
