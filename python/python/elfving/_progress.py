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


class Counter:
    """Tells how many of all runs are done: the user's callback, or a bar of tqdm."""

    def __init__(self, progress: bool | Callable[[int, int], object] | None) -> None:
        if not (progress is None or isinstance(progress, bool) or callable(progress)):
            raise OptionError(f"progress is True, False or a function, not {progress!r}")
        self._callback = progress if callable(progress) else None
        self._bar = _bar("simulate", " runs") if progress is True else None

    @property
    def callback(self) -> Callable[[float, int, int], bool] | None:
        """What the compiled half calls."""
        return None if self._callback is None and self._bar is None else self._tell

    def _tell(self, _: float, done: int, total: int) -> bool:
        if self._callback is not None:
            self._callback(done, total)
        elif self._bar is not None:
            self._bar.total = total
            self._bar.n = done
            self._bar.refresh()
        return False

    def __enter__(self) -> Counter:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()


def _bar(what: str, unit: str) -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm(desc=what, unit=unit, leave=False)


class Watcher:
    """Hands progress to the user's callback, or to a bar of tqdm."""

    def __init__(self, progress: ProgressOption, tolerance: float) -> None:
        if not (progress is None or isinstance(progress, bool) or callable(progress)):
            raise OptionError(f"progress is True, False or a function, not {progress!r}")
        self._callback = progress if callable(progress) else None
        self._tolerance = tolerance
        self._bar = _bar("design", " iterations") if progress is True else None

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
