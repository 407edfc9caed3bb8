"""Keywords that are gone, each refused with the one to use now."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")


def renamed(**old_to_new: str) -> Callable[[Callable[_P, _T]], Callable[_P, _T]]:
    """Has a function refuse old keywords with a :class:`TypeError` that names the new one."""

    def with_refusal(function: Callable[_P, _T]) -> Callable[_P, _T]:
        @functools.wraps(function)
        def called(*args: _P.args, **kwargs: _P.kwargs) -> _T:
            for old, new in old_to_new.items():
                if old in kwargs:
                    raise TypeError(f"{old}= is now {new}")
            return function(*args, **kwargs)

        return called

    return with_refusal
