"""What can be measured."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _native
from ._arrays import matrix
from ._frames import Columns, columns_of, is_frame
from ._native import Pool as NativePool
from ._numpy import np
from ._renamed import renamed
from .exceptions import DataError, DataWarning, OptionError
from .kernels import Gram, Kernel

if TYPE_CHECKING:
    from ._arrays import FloatArray

__all__ = ["Pool"]

_LOG_BASES = {"2": "Two", "e": "E", "10": "Ten"}


class Pool:
    """The finite set of candidates that can be measured, with its features or kernel.

    Parameters
    ----------
    candidates : array-like, data frame, path, or :func:`elfving.kernels.gram`
        One row a candidate. A C-contiguous float64 array is read in place where possible: do not change it afterwards. Any
        other layout or number type is converted once. A data frame (pandas or polars) or a file (.csv, .npy, .npz) is encoded
        as the command line does it.
    choices : array-like, data frame or path, optional
        Measure the candidates, choose among these. Without them, the candidates themselves.
    kernel : Kernel, optional
        How alike two candidates are, from :mod:`elfving.kernels`; without it, features as they are.
    ids, choice_ids : sequence of str, optional
        What the rows of arrays are called; their number from 0 unless given.
    feature_names : sequence of str, optional
        What the columns of an array are called.
    polynomial_model : int, optional
        Expand the features to all their products up to this degree, with an intercept.
    interactions_only : bool
        With ``polynomial_model``: no squares or higher powers.
    model : str, optional
        A formula as in R, such as ``"~ temp + I(temp^2) + base*time"``: its columns are the features, text among them categories.
    residual : float, optional
        How much of a kernel the features may leave out, relative to its largest value; chosen from the question unless given.
    seed : int
        Of the pairs of candidates from which a median distance is taken, on pools of more than 2000.
    id, features, outcome, ignore, one_hot, categorical, log, standardize, marker, max_levels
        How the columns of a data frame or a file become features. ``id`` names the candidates. ``features`` lists the columns
        to use; otherwise all numeric ones but the id, the ``outcome`` and those to ``ignore``. ``one_hot=True`` (or a list) makes categories of text
        columns, ``categorical`` of the columns it lists, numbers too. ``log`` lists columns on a log scale, with their base in a dict: ``{"block": 2}``.
        ``standardize`` brings numbers to mean 0 and deviation 1. ``marker`` says what a text means: ``{"n.d.": 0.0}``, or with ``None`` that
        the value is missing, and the cell is refused by name.
    where : str or sequence of str
        Only rows that meet all of these conditions are candidates: ``"dose <= 3 and ligand in ('XPhos', 'SPhos')"``.
    decimal, array, sheet
        The decimal mark of a .csv, the array of an .npz and the sheet of an .xlsx to read.

    Examples
    --------
    >>> import numpy as np
    >>> from elfving import Pool, kernels
    >>> Pool(np.linspace(0, 1, 501).reshape(-1, 1) ** 2, kernel=kernels.rbf(0.025))
    Pool(501 candidates, kernel RBF, length scale 0.025)
    """

    __slots__ = ("_native",)
    _native: NativePool

    @renamed(missing="marker=")
    def __init__(
        self,
        candidates: Any,
        *,
        choices: Any = None,
        kernel: Kernel | None = None,
        ids: Iterable[Any] | None = None,
        choice_ids: Iterable[Any] | None = None,
        feature_names: Sequence[str] | None = None,
        polynomial_model: int | None = None,
        interactions_only: bool = False,
        model: str | None = None,
        residual: float | None = None,
        seed: int = 0,
        id: str | None = None,
        features: Sequence[str] | None = None,
        outcome: str | Sequence[str] = (),
        ignore: str | Sequence[str] = (),
        one_hot: bool | str | Sequence[str] = False,
        categorical: str | Sequence[str] = (),
        log: str | Sequence[str] | Mapping[str, Any] = (),
        standardize: bool = False,
        marker: Mapping[str, float | str | None] | None = None,
        max_levels: int = 1000,
        where: str | Sequence[str] = (),
        decimal: str = ".",
        array: str | None = None,
        sheet: str | None = None,
    ) -> None:
        spelled = model_options(kernel, residual, polynomial_model, interactions_only, model)
        options = column_options(
            id=id,
            features=features,
            outcome=outcome,
            ignore=ignore,
            one_hot=one_hot,
            categorical=categorical,
            log=log,
            standardize=standardize,
            marker=marker,
            max_levels=max_levels,
            where=where,
        )
        if choices is not None and _form(choices) != _form(candidates) and not isinstance(candidates, Gram):
            raise OptionError(f"choices come as the candidates do: {_form(candidates)}, not {_form(choices)}")
        outcomes = next(iter(_names(outcome)), None)
        of_rows = {"ids": ids, "choice_ids": choice_ids, "feature_names": feature_names}
        if isinstance(candidates, Gram):
            if kernel is not None or choices is not None or options != _PLAIN:
                raise OptionError("a kernel matrix holds everything: give no kernel, choices or columns beside it")
            self._native = _native.Pool.from_gram(
                matrix(candidates.matrix, "the kernel matrix"),
                candidates.measurable,
                _texts(ids),
                _texts(choice_ids),
                residual,
            )
        elif isinstance(candidates, (str, os.PathLike)):
            _refuse(of_rows, "a file has them in its columns")
            reading = json.dumps(reading_options(decimal, array, sheet))
            targets = None if choices is None else os.fspath(choices)
            self._native = _native.Pool.from_file(
                os.fspath(candidates), targets, reading, json.dumps(options), outcomes, spelled, seed
            )
        elif is_frame(candidates):
            _refuse(of_rows, "a data frame has them in its columns")
            texts = () if id is None else (id,)
            targets = None if choices is None else columns_of(choices, texts)
            self._native = _native.Pool.from_columns(
                columns_of(candidates, texts), targets, json.dumps(options), outcomes, spelled, seed
            )
        elif options != _PLAIN:
            _refuse({"ids": ids, "choice_ids": choice_ids}, "with columns that are encoded, use a data frame")
            table = _as_columns(candidates, feature_names, "the candidates")
            targets = None if choices is None else _as_columns(choices, feature_names, "the choices")
            self._native = _native.Pool.from_columns(table, targets, json.dumps(options), outcomes, spelled, seed)
        else:
            self._native = _native.Pool.from_arrays(
                matrix(candidates, "the pool"),
                None if choices is None else matrix(choices, "the choices"),
                _texts(ids),
                _texts(choice_ids),
                None if feature_names is None else [str(name) for name in feature_names],
                spelled,
                seed,
            )
        for warning in self._native.warnings:
            warnings.warn(warning, DataWarning, stacklevel=2)

    @classmethod
    def from_frame(cls, frame: Any, **options: Any) -> Pool:
        """The pool of a data frame; the options are those of the class.

        >>> import elfving, polars
        >>> frame = polars.DataFrame({"id": ["a", "b"], "dose": [1.0, 2.0]})
        >>> elfving.Pool.from_frame(frame, id="id").ids
        ['a', 'b']
        """
        if not is_frame(frame):
            raise DataError(f"a data frame has columns with names; this is a {type(frame).__name__}")
        return cls(frame, **options)

    @classmethod
    def from_gram(cls, matrix: Any, *, measurable: int | None = None, **options: Any) -> Pool:
        """The pool of a precomputed kernel matrix; see :func:`elfving.kernels.gram`."""
        return cls(Gram(matrix, measurable), **options)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], **options: Any) -> Pool:
        """The pool of a table on disk; the options are those of the class."""
        return cls(os.fspath(path), **options)

    @classmethod
    def _of(cls, native: NativePool) -> Pool:
        pool = cls.__new__(cls)
        pool._native = native
        return pool

    def with_choices(self, choices: Any, *, choice_ids: Iterable[Any] | None = None) -> Pool:
        """The same candidates, to choose among other rows: an array or a data frame with the same columns."""
        if is_frame(choices):
            id = self._native.id_column
            return Pool._of(self._native.with_choice_columns(columns_of(choices, () if id is None else (id,))))
        return Pool._of(self._native.with_choices(matrix(choices, "the choices"), _texts(choice_ids)))

    def __len__(self) -> int:
        return len(self._native)

    @property
    def ids(self) -> list[str]:
        """What the candidates are called."""
        return self._native.ids()

    @property
    def choice_ids(self) -> list[str]:
        """What the choices are called: the candidates themselves unless others were given."""
        return self._native.choice_ids()

    @property
    def feature_names(self) -> list[str] | None:
        """The names of the features (of the coordinates, under a kernel), where there are any."""
        return self._native.feature_names

    @property
    def kernel(self) -> Kernel | None:
        """The kernel with every parameter, a median lengthscale as the number it is."""
        description = self._native.kernel
        return None if description is None else Kernel.from_dict(json.loads(description))

    @property
    def coordinates(self) -> FloatArray | None:
        """The table as numbers, n x d; ``None`` for a kernel matrix."""
        return self._native.coordinates()

    def features(self, *, gamma: float = 0.0, tolerance: float = 1e-6) -> FloatArray:
        """The features in which designs are computed, n x r; those of a kernel depend on the question."""
        return self._native.features(gamma, tolerance)

    def rows(self, candidates: Any) -> list[int]:
        """The rows of candidates: a string is an id, a whole number is a row."""
        return rows_of(candidates, len(self), self._native.rows)

    def choice_rows(self, choices: Any) -> list[int]:
        """The same among the choices."""
        return rows_of(choices, self._native.choice_count, self._native.choice_rows)

    def __repr__(self) -> str:
        choices = f", {self._native.choice_count} choices" if self._native.has_own_choices else ""
        names = self.feature_names
        features = "" if names is None else f", {len(names)} features" if len(names) != 1 else ", 1 feature"
        words = "" if self._native.words is None else f", {self._native.words}"
        return f"Pool({len(self)} candidates{choices}{features}{words})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, self._native.state()


def _restored(x: FloatArray, z: FloatArray | None, about: str) -> Pool:
    return Pool._of(_native.Pool.restored(x, z, about))


def _form(table: Any) -> str:
    if isinstance(table, (str, os.PathLike)):
        return "a file"
    return "a data frame" if is_frame(table) else "an array"


def as_pool(value: Any) -> Pool:
    """A pool, or what makes one without options."""
    return value if isinstance(value, Pool) else Pool(value)


def rows_of(names: Any, count: int, find: Any) -> list[int]:
    if isinstance(names, (str, int, np.integer)):
        names = [names]
    names = list(names)
    # One look through the ids for all of them.
    found = iter(find([name for name in names if isinstance(name, str)]))
    rows: list[int] = []
    for name in names:
        if isinstance(name, str):
            rows.append(next(found))
        elif isinstance(name, (int, np.integer)) and not isinstance(name, (bool, np.bool_)):
            if not 0 <= name < count:
                raise OptionError(f"there is no row {name}: the rows are 0 to {count - 1}")
            rows.append(int(name))
        else:
            raise OptionError(f"{name!r} is neither an id nor a row")
    return rows


def column_options(
    *,
    id: str | None = None,
    features: Sequence[str] | None = None,
    outcome: str | Sequence[str] = (),
    ignore: str | Sequence[str] = (),
    one_hot: bool | str | Sequence[str] = False,
    categorical: str | Sequence[str] = (),
    log: str | Sequence[str] | Mapping[str, Any] = (),
    standardize: bool = False,
    marker: Mapping[str, float | str | None] | None = None,
    max_levels: int = 1000,
    where: str | Sequence[str] = (),
) -> dict[str, Any]:
    """The options of a table as the library spells them."""
    if isinstance(one_hot, bool) or isinstance(one_hot, np.bool_):
        categories: Any = "AllText" if one_hot else "Nothing"
    else:
        categories = {"Columns": _names(one_hot)}
    if isinstance(log, Mapping):
        scales = []
        for column, base in log.items():
            if str(base) not in _LOG_BASES:
                raise OptionError(f"log: the base of {column!r} is 2, 10 or 'e', not {base!r}")
            scales.append([str(column), _LOG_BASES[str(base)]])
    else:
        scales = [[column, "Ten"] for column in _names(log)]
    markers: list[dict[str, Any]] = []
    for text, means in (marker or {}).items():
        # A failed run is an outcome; features know numbers only.
        if means == "failed":
            continue
        if means is not None and not isinstance(means, (int, float, np.number)):
            raise OptionError(f"marker: {text!r} means a number, None or 'failed', not {means!r}")
        markers.append({"text": str(text), "value": None if means is None else float(means)})
    return {
        "id": None if id is None else str(id),
        "features": None if features is None else _names(features),
        "exclude": _names(outcome) + _names(ignore),
        "one_hot": categories,
        "categorical": _names(categorical),
        "log_scale": scales,
        "standardize": bool(standardize),
        "markers": markers,
        "max_levels": max_levels,
        "where": _names(where),
    }


def model_options(
    kernel: Kernel | None,
    residual: float | None,
    polynomial_model: int | None,
    interactions_only: bool,
    formula: str | None,
) -> str:
    """The model as the library spells it."""
    if kernel is not None and not isinstance(kernel, Kernel):
        raise OptionError(f"kernel is one of elfving.kernels, such as kernels.rbf(0.5), not {kernel!r}")
    return json.dumps(
        {
            "kernel": None if kernel is None else kernel.to_dict(),
            "residual": residual,
            "polynomial": polynomial_model,
            "interactions_only": interactions_only,
            "formula": formula,
        }
    )


def reading_options(decimal: str = ".", array: str | None = None, sheet: str | None = None) -> dict[str, Any]:
    """How a file is read, as the library spells it."""
    if decimal not in (".", ","):
        raise OptionError(f"the decimal mark is '.' or ',', not {decimal!r}")
    mark = "Point" if decimal == "." else "Comma"
    return {"decimal": mark, "delimiter": None, "text": [], "array": array, "sheet": sheet}


def _names(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else [str(name) for name in names]


def _texts(ids: Iterable[Any] | None) -> list[str] | None:
    return None if ids is None else [str(id) for id in ids]


def _refuse(options: dict[str, Any], why: str) -> None:
    for name, value in options.items():
        if value is not None:
            raise OptionError(f"{name}= is for arrays; {why}")


def _as_columns(values: Any, names: Sequence[str] | None, what: str) -> Columns:
    array = matrix(values, what)
    names = [f"x{k}" for k in range(array.shape[1])] if names is None else list(names)
    if len(names) != array.shape[1]:
        raise DataError(f"{len(names)} names for {array.shape[1]} features")
    return [(str(name), np.ascontiguousarray(array[:, k])) for k, name in enumerate(names)]


_PLAIN = column_options()
