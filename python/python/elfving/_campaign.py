"""Campaigns that last: ask and tell on one durable file, the same as that of the command line."""

from __future__ import annotations

import json
import os
import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _native
from ._batch import Batch
from ._files import earlier_measurements, file_of, results_options, write
from ._goals import goal_of
from ._numpy import np
from ._outcomes import outcome_of, outcomes_of
from ._pool import column_options, model_options, reading_options
from ._renamed import renamed
from ._status import Columns, Status, Told
from .exceptions import DataWarning, OptionError
from .kernels import Kernel

if TYPE_CHECKING:
    import datetime
    from pathlib import Path

__all__ = ["Campaign"]


class Campaign:
    """A durable sequence of rounds on one pool; see :meth:`create` and :meth:`open`.

    The file is the same as that of the command line: either can go on where the other stopped, at the same time too.
    """

    def __init__(self, native: _native.Campaign) -> None:
        self._native = native

    @classmethod
    @renamed(missing="marker=", markers="marker=")
    def create(
        cls,
        path: str | os.PathLike[str],
        pool: Any,
        *,
        maximize: str | None = None,
        minimize: str | None = None,
        targets: Any = None,
        goal: str = "best",
        epsilon: float = 0.0,
        top: int = 3,
        mode: str = "certified",
        algorithm: str = "auto",
        noise: str | None = None,
        sigma: float | None = None,
        bound: float | None = None,
        norm: float | None = None,
        misspecification: float = 0.0,
        range: tuple[float, float] | None = None,
        delta: float = 0.05,
        gamma: float | None = None,
        batch: int = 24,
        budget: int | None = None,
        worth: float | None = None,
        seed: int = 0,
        kernel: Kernel | None = None,
        residual: float | None = None,
        polynomial_model: int | None = None,
        interactions_only: bool = False,
        model: str | None = None,
        id: str | None = None,
        features: Sequence[str] | None = None,
        ignore: str | Sequence[str] = (),
        one_hot: bool | str | Sequence[str] = False,
        categorical: str | Sequence[str] = (),
        log: str | Sequence[str] | Mapping[str, Any] = (),
        standardize: bool = False,
        marker: Mapping[str, float | str | None] | None = None,
        where: str | Sequence[str] = (),
        decimal: str = ".",
        array: str | None = None,
        sheet: str | None = None,
        forbid: Iterable[str] = (),
        force: Iterable[str] = (),
        max_repeats: int | None = None,
        max_measurements: int | None = None,
        tries: int = 2,
        plate: str | None = None,
        control: Mapping[str, int] | None = None,
        same: str | Sequence[str] | None = None,
        at_most: Mapping[str, int] | None = None,
        measured: Any = None,
        prior: str | os.PathLike[str] | Campaign | Sequence[str | os.PathLike[str] | Campaign] = (),
        error_column: str | None = None,
        repeats: Sequence[str] = (),
        repeated_slots: bool = False,
        at: int | datetime.datetime | None = None,
    ) -> Campaign:
        """Starts a campaign on a new file.

        Parameters
        ----------
        path : str or path
            The file; ``.elfving`` is added where the name does not have it.
        pool : path or data frame
            The candidates, one row each. The campaign keeps a copy.
        maximize, minimize : str
            The outcome: the column that results will have, and whether large or small is good.
        targets : path or data frame, optional
            Choose among these, and measure those of ``pool``.
        goal : {"best", "top", "all-good", "regret", "map"}
            What is wanted, with ``epsilon`` how far from the best an answer may be (for ``map``, how well every mean is to be
            known) and ``top`` how many candidates.
        mode : {"certified", "calibrated"}
            A theorem under your assumptions, or a fitted model without proof.
        noise : {"sub-gaussian", "bounded-variance"}
            What the tails of the noise are known to be; with ``sigma`` needed by the certified mode.
        sigma, bound, norm, misspecification, delta, gamma
            What is assumed: the deviation of the noise, the mean outcomes, the norm of the function, its distance from the
            model; the probability of a wrong verdict; the ridge.
        range : (low, high), optional
            Between which numbers every outcome lies: bounds ``sigma`` by half their distance, so that neither ``noise`` nor ``sigma``
            is needed, and clips every interval.
        batch, budget, seed
            Measurements asked for at once, measurements in all, the seed of every random choice.
        worth : float, optional
            The gain below which a batch is not worth its cost, in the units of the outcome: ``status().next_batch`` advises by it
            (calibrated mode).
        kernel, residual, polynomial_model, interactions_only, model
            The model, as for :class:`Pool`. Where none is named, a certified campaign takes :func:`elfving.kernels.smooth`, unless the
            columns give every candidate a mean of its own; :attr:`model` says what it is.
        id, features, ignore, one_hot, categorical, log, standardize, marker, where, decimal, array, sheet
            The columns, as for :class:`Pool`; ``marker`` is about outcomes, too: ``{"n.d.": "failed", "<1": 0.5}``. The
            calibrated mode takes text columns as categories by itself, unless they look like names or notes;
            :attr:`columns` says what became of each.
        forbid, force : ids
            Candidates that are neither measured nor chosen, and those to measure first.
        max_repeats, max_measurements : int, optional
            How often one candidate may be measured in one batch, and in all.
        tries : int
            Failures after which a candidate counts as infeasible and is not asked again.
        plate : str, optional
            Rows and columns of a plate such as ``"8x12"``, or the number of its wells: every slot gets a well.
        control : mapping of id to int, optional
            Candidates that are in every batch, and how often.
        same, at_most : column(s), mapping of column to int, optional
            Columns that all of a batch share, and columns of which a batch holds at most so many values.
        measured : path, data frame, or mapping of id to outcome, optional
            Measurements made before; ``measured=pool`` where the pool itself has them in the outcome column.
        prior : campaign(s), or their files
            Earlier campaigns whose results predict the outcomes: they bet beside the other models. A right one saves measurements, a
            wrong one costs some, and never makes an answer false.
        error_column, repeats, repeated_slots
            How files of results are written: a column of standard errors, columns of repeats, several lines of one slot as
            repeats of it.
        at : int or datetime, optional
            The time on record, in milliseconds since 1970; now unless given.

        Examples
        --------
        >>> import elfving, tempfile, os, polars
        >>> folder = tempfile.TemporaryDirectory()
        >>> doses = polars.DataFrame({"id": ["a", "b", "c"], "dose": [1.0, 2.0, 3.0]})
        >>> campaign = elfving.Campaign.create(
        ...     os.path.join(folder.name, "doses"), doses, id="id", maximize="yield",
        ...     noise="sub-gaussian", sigma=0.1, norm=1.0, epsilon=0.2, batch=2,
        ... )
        >>> slots = campaign.ask()
        >>> campaign.tell({slot.slot: 0.5 for slot in slots}).recorded
        2
        >>> folder.cleanup()
        """
        if (maximize is None) == (minimize is None):
            raise OptionError("name the outcome with maximize= or minimize=, one of them")
        if mode not in ("certified", "calibrated"):
            raise OptionError(f"mode is 'certified' or 'calibrated', not {mode!r}")
        if noise is None and range is not None:
            noise = "sub-gaussian"
        if noise is None and mode == "certified":
            raise OptionError(
                "a certified campaign needs noise='sub-gaussian' or 'bounded-variance', and sigma, or range=(low, high); "
                "mode='calibrated' needs no assumptions"
            )
        if noise not in (None, "sub-gaussian", "bounded-variance"):
            raise OptionError(f"noise is 'sub-gaussian' or 'bounded-variance', not {noise!r}")
        file = os.fspath(path)
        if os.path.splitext(file)[1] != ".elfving":
            file += ".elfving"
        numbers = {"epsilon": epsilon, "misspecification": misspecification, "delta": delta}
        for name, number in {**numbers, "sigma": sigma, "bound": bound, "norm": norm, "gamma": gamma, "worth": worth}.items():
            if number is not None and not np.isfinite(number):
                raise OptionError(f"{name} must be a finite number, got {number}")
        for name, count in {"batch": batch, "budget": budget}.items():
            if count is not None and count < 1:
                raise OptionError(f"{name} must be at least 1")
        settings = {
            "outcome": maximize if maximize is not None else minimize,
            "aim": "maximise" if maximize is not None else "minimise",
            "goal": goal_of(goal, epsilon, top, budget),
            "mode": mode,
            "assumptions": {
                "sigma": sigma,
                "tails": "sub-gaussian" if noise == "sub-gaussian" else "bounded-variance",
                "bound": bound,
                "norm": norm,
                "misspecification": misspecification,
                "range": None if range is None else [float(end) for end in range],
            },
            "delta": delta,
            "gamma": gamma,
            "algorithm": algorithm,
            "batch": batch,
            "budget": budget,
            "worth": worth,
            "seed": seed,
            "forbid": [str(name) for name in forbid],
            "force": [str(name) for name in force],
            "max_repeats": max_repeats,
            "max_measurements": max_measurements,
            "tries": tries,
            "layout": layout_of(plate, control, same, at_most),
        }
        columns = column_options(
            id=id,
            features=features,
            ignore=ignore,
            one_hot=one_hot,
            categorical=categorical,
            log=log,
            standardize=standardize,
            marker=marker,
            where=where,
        )
        texts = () if id is None else (id,)
        native, unused = _native.Campaign.create(
            file,
            json.dumps(settings),
            file_of(pool, "pool.csv", texts),
            None if targets is None else file_of(targets, "targets.csv", texts),
            json.dumps(reading_options(decimal, array, sheet)),
            json.dumps(columns),
            model_options(kernel, residual, polynomial_model, interactions_only, model),
            earlier_measurements(measured, str(settings["outcome"]), id),
            results_options(None, marker, error_column, repeats, repeated_slots),
            _files_of(prior),
            _millis(at),
        )
        for warning in [*native.warnings(), *unused]:
            warnings.warn(warning, DataWarning, stacklevel=2)
        return cls(native)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Campaign:
        """Opens a campaign, by its file or its name without ``.elfving``."""
        file = os.fspath(path)
        if not os.path.exists(file) and not os.path.splitext(file)[1] and os.path.exists(file + ".elfving"):
            file += ".elfving"
        return cls(_native.Campaign.open(file))

    @property
    def path(self) -> Path:
        """The file."""
        from pathlib import Path

        return Path(self._native.path())

    @property
    def spec(self) -> dict[str, Any]:
        """The question: everything that was decided before the first measurement."""
        spec: dict[str, Any] = json.loads(self._native.spec())
        return spec

    @property
    def columns(self) -> Columns:
        """What the model sees: every column of the table with its kind (number, log-number, category, ignored and why)."""
        return Columns(json.loads(self._native.columns()))

    @property
    def model(self) -> str:
        """The model with its columns, in words."""
        return self._native.model()

    def ask(
        self,
        batch: int | None = None,
        *,
        worker: str | None = None,
        open: bool = False,
        at: int | datetime.datetime | None = None,
    ) -> Batch:
        """What to measure now: the same batch again until something of it came back, then what failed, and new slots.

        Parameters
        ----------
        batch : int, optional
            How many slots; as many as :meth:`create` was told without it.
        worker : str, optional
            Who asks. No slot goes to two workers, and who asks again gets the own open slots, filled up with others.
        open : bool
            Every open slot, whoever has it; nothing is planned.
        """
        if batch is not None and batch < 1:
            raise OptionError("a batch has at least 1 measurement")
        document, sheet, plate_map = self._native.ask(batch, worker, open, _millis(at))
        return Batch(json.loads(document), sheet, plate_map)

    def release(
        self,
        slots: Sequence[str] = (),
        *,
        worker: str | None = None,
        for_good: bool = False,
        at: int | datetime.datetime | None = None,
    ) -> int:
        """Gives slots back, or all of a worker, for the next one who asks; ``for_good``, nobody measures them. How many."""
        return self._native.release([str(slot) for slot in slots], worker, for_good, _millis(at))

    def change(
        self,
        *,
        reason: str,
        budget: int | None = None,
        batch: int | None = None,
        epsilon: float | None = None,
        worth: float | None = None,
        max_repeats: int | None = None,
        max_measurements: int | None = None,
        tries: int | None = None,
        plate: str | None = None,
        control: Mapping[str, int] | None = None,
        same: str | Sequence[str] | None = None,
        at_most: Mapping[str, int] | None = None,
        at: int | datetime.datetime | None = None,
    ) -> dict[str, Any]:
        """Changes what is asked from here on, with the reason on record; the answer says what that does to the guarantee."""
        changing: dict[str, Any] = {"reason": reason}
        given = {"budget": budget, "batch": batch, "epsilon": epsilon, "worth": worth, "tries": tries}
        changing.update({name: value for name, value in given.items() if value is not None})
        if max_repeats is not None or max_measurements is not None:
            changing["limits"] = {"in_a_batch": max_repeats, "in_all": max_measurements}
        if not (plate is None and control is None and same is None and at_most is None):
            changing["layout"] = layout_of(plate, control, same, at_most)
        document: dict[str, Any] = json.loads(self._native.change(json.dumps(changing), _millis(at)))
        return document

    def forbid(
        self,
        ids: Sequence[str] = (),
        *,
        reason: str,
        where: str | None = None,
        infeasible: bool = False,
        at: int | datetime.datetime | None = None,
    ) -> dict[str, Any]:
        """Excludes candidates from here on, by id or by a condition: unwanted, or ``infeasible``. What still comes back of them is taken."""
        names = [str(name) for name in ids]
        document: dict[str, Any] = json.loads(self._native.forbid(names, where, infeasible, reason, _millis(at)))
        return document

    def allow(
        self,
        ids: Sequence[str] = (),
        *,
        reason: str,
        where: str | None = None,
        at: int | datetime.datetime | None = None,
    ) -> dict[str, Any]:
        """Lets excluded candidates back in, by id or by a condition."""
        names = [str(name) for name in ids]
        document: dict[str, Any] = json.loads(self._native.allow(names, where, reason, _millis(at)))
        return document

    def extend(self, more: Any, *, reason: str, at: int | datetime.datetime | None = None) -> dict[str, Any]:
        """Adds the candidates of a file or data frame with the columns of the pool; the answer says what that does to the guarantee.

        Scales stay as they were, and category levels that are new are added. RIPS and PTR refuse: their proof is about a fixed pool.
        """
        id_column = self.spec["recipe"]["columns"].get("id")
        table = file_of(more, "more.csv", () if id_column is None else (id_column,))
        document: dict[str, Any] = json.loads(self._native.extend(table, reason, _millis(at)))
        return document

    @renamed(markers="marker=")
    def tell(
        self,
        results: Any,
        *,
        correct: str | None = None,
        dry_run: bool = False,
        decimal: str | None = None,
        marker: Mapping[str, float | str | None] | None = None,
        error_column: str | None = None,
        repeats: Sequence[str] = (),
        repeated_slots: bool = False,
        at: int | datetime.datetime | None = None,
    ) -> Told:
        """Takes outcomes in, all of them or none. The same outcome told again changes nothing.

        Parameters
        ----------
        results : mapping, path or data frame
            A mapping from slot to outcome: a number, a list of repeats, a pair ``(value, standard_error)``, or ``None`` (or
            ``"failed"``) for a failed run, whose slot is asked again, or ``"infeasible"`` for one that can never succeed. A file or data frame has the columns ``slot`` and the
            outcome, perhaps ``status``; an empty outcome leaves its slot open.
        correct : str, optional
            Replace outcomes that differ from those on record, for this reason.
        dry_run : bool
            Check everything and write nothing.
        decimal, marker, error_column, repeats, repeated_slots
            How the file is written, where it differs from what :meth:`create` was told.

        Raises
        ------
        UnknownSlot, ConflictError, DataError
            Nothing was written.
        """
        if isinstance(results, Mapping):
            told = self._native.tell_outcomes(outcomes_of(results), correct, dry_run, _millis(at))
        else:
            name, content = file_of(results, "results.csv", ("slot",), blanks=True)
            changes = results_options(decimal, marker, error_column, repeats, repeated_slots)
            told = self._native.tell_file(name, content, changes, correct, dry_run, _millis(at))
        return Told(**json.loads(told))

    def correct(self, slot: str, outcome: Any, *, reason: str, at: int | datetime.datetime | None = None) -> Told:
        """Replaces one outcome, or says with ``None`` that the run had failed after all. The log keeps both and the reason."""
        told = self._native.correct(slot, outcome_of(slot, outcome), reason, _millis(at))
        return Told(**json.loads(told))

    def bring_in(self, measured: Mapping[str, Any], *, at: int | datetime.datetime | None = None) -> bool:
        """Brings in measurements made elsewhere, by candidate; returns whether the algorithm can use them."""
        return self._native.bring_in(outcomes_of(measured), _millis(at))[1]

    def close(self, *, no_guarantee: bool = False, at: int | datetime.datetime | None = None) -> None:
        """Closes the round under way. With open slots that is refused, unless ``no_guarantee`` gives the guarantee up."""
        self._native.close(no_guarantee, _millis(at))

    def status(self) -> Status:
        """Where the campaign stands: the answer so far, what is guaranteed, who is still in."""
        return Status(json.loads(self._native.status()))

    def candidate(self, id: str) -> dict[str, Any]:
        """All about one candidate: its outcomes, its interval, the bound that removed it."""
        story: dict[str, Any] = json.loads(self._native.candidate(str(id)))
        return story

    def slots(self) -> list[dict[str, Any]]:
        """Every slot with its candidate, round, state and outcome."""
        slots: list[dict[str, Any]] = json.loads(self._native.slots())
        return slots

    def html(self, *, at: int | datetime.datetime | None = None) -> str:
        """The report as one page of HTML, which loads nothing."""
        return self._native.html(_millis(at))

    def report(self, path: str | os.PathLike[str] | None = None, *, at: int | datetime.datetime | None = None) -> Path:
        """Writes the report beside the campaign, or to ``path``, an ``.html`` file; returns where."""
        to = self.path.with_suffix(".html") if path is None else type(self.path)(path)
        if to.suffix.lower() not in (".html", ".htm"):
            raise OptionError(f"a report is written as .html, not as {to}")
        write(to, self.html(at=at).encode(), [self.path])
        return to

    def export(self) -> dict[str, Any]:
        """Everything as one document: the question, where it stands, every slot, every event."""
        document: dict[str, Any] = json.loads(self._native.export())
        return document

    def to_csv(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """The measurements, one line a slot: to a file, or as text without one."""
        content = self._native.export_csv()
        if path is None:
            return content.decode()
        write(path, content, [self.path])
        return None

    def log(self) -> list[dict[str, Any]]:
        """Every event with its content and its seal."""
        events: list[dict[str, Any]] = json.loads(self._native.log())
        return events

    def verify(self) -> dict[str, Any]:
        """Checks the file, every seal and every attached table, and replays every round; raises if anything is not as written."""
        found: dict[str, Any] = json.loads(self._native.verify())
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickled campaign is its file."""
        return Campaign.open, (os.path.abspath(self.path),)

    def __repr__(self) -> str:
        return f"Campaign({str(self.path)!r})"

    def _repr_html_(self) -> str:
        return self.status()._repr_html_()


def _millis(at: int | datetime.datetime | None) -> int:
    if at is None:
        # Where files must come out the same again, this stands in for the clock, as on the command line.
        fixed = os.environ.get("SOURCE_DATE_EPOCH")
        if fixed is None:
            return time.time_ns() // 1_000_000
        if not (fixed.isascii() and fixed.isdigit()):
            raise OptionError(f"SOURCE_DATE_EPOCH is {fixed!r}, not a whole number of seconds since 1970: unset it")
        return int(fixed) * 1000
    if isinstance(at, int):
        return at
    return int(at.timestamp() * 1000)


def _files_of(priors: Any) -> list[str]:
    """The files of earlier campaigns."""
    several = [priors] if isinstance(priors, (str, os.PathLike, Campaign)) else priors
    files = [str(one.path) if isinstance(one, Campaign) else os.fspath(one) for one in several]
    named = [file if os.path.exists(file) else file + ".elfving" for file in files]
    return [with_end if os.path.exists(with_end) else file for file, with_end in zip(files, named, strict=True)]


def layout_of(
    plate: str | int | None,
    control: Mapping[str, int] | None,
    same: str | Sequence[str] | None,
    at_most: Mapping[str, int] | None,
) -> dict[str, Any]:
    """What every batch looks like, as far as it is said."""
    layout: dict[str, Any] = {}
    if plate is not None:
        layout["plate"] = str(plate)
    if control is not None:
        layout["controls"] = [{"id": str(id), "count": int(count)} for id, count in control.items()]
    if same is not None or at_most is not None:
        columns = [same] if isinstance(same, str) else list(same or ())
        few = [(column, 1) for column in columns] + list((at_most or {}).items())
        layout["at_most"] = [{"column": column, "most": int(most)} for column, most in few]
    return layout
