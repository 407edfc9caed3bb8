"""Pictures. matplotlib is imported when one is drawn; every function takes ``ax`` and returns it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._bandit import Bandit, BanditReport
from ._campaign import Campaign
from ._design import Design
from ._estimate import Estimates
from ._numpy import np
from ._simulate import Simulation
from ._status import Status
from .exceptions import OptionError

__all__ = ["plot_design", "plot_elimination", "plot_intervals", "plot_regret", "plot_variance"]


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install 'elfving[plots]'") from error
    return plt.subplots(constrained_layout=True)[1]


def _names(design: Design) -> list[str]:
    """What the coordinates are called; the rows alone under a kernel matrix."""
    points = design.pool.coordinates
    if points is None:
        return ["row"]
    return design.pool._native.coordinate_names or [f"x{k}" for k in range(points.shape[1])]


def plot_design(design: Design, *, ax: Any = None) -> Any:
    """The weights over the first one or two coordinates of the candidates; the area of a dot is the weight."""
    ax = _axes(ax)
    points = design.pool.coordinates
    names = _names(design)
    weights = design.weights
    if points is None:
        points = np.arange(len(weights), dtype=np.float64).reshape(-1, 1)
    if points.shape[1] == 1:
        carries = _carrying(design)
        ax.vlines(points[carries, 0], 0, weights[carries], lw=1.5)
        ax.plot(points[carries, 0], weights[carries], "o", ms=4)
        ax.set(xlabel=names[0], ylabel="weight", ylim=(0, None))
    else:
        ax.scatter(points[:, 0], points[:, 1], s=4, color="0.8", label="candidates")
        chosen = design.support
        ax.scatter(points[chosen, 0], points[chosen, 1], s=2000 * weights[chosen], alpha=0.6, label="design")
        ax.set(xlabel=names[0], ylabel=names[1])
    ax.set_title(f"{design.criterion.upper()}-optimal design, {design.status}")
    return ax


def _carrying(design: Design) -> Any:
    """The candidates whose weight can be seen: at least a thousandth of the largest."""
    return np.flatnonzero(design.weights >= 1e-3 * design.weights.max())


def plot_variance(design: Design, *, ax: Any = None) -> Any:
    """The variance function over the candidates, with the largest value; a G-optimal design touches it at its support."""
    ax = _axes(ax)
    points = design.pool.coordinates
    variance = design.variance()
    on_a_line = points is not None and points.shape[1] == 1
    place = points[:, 0] if on_a_line and points is not None else np.arange(len(variance), dtype=np.float64)
    order = np.argsort(place, kind="stable")
    ax.plot(place[order], variance[order], lw=1.2, label="variance")
    carries = _carrying(design)
    ax.plot(place[carries], variance[carries], "o", ms=4, label="measured")
    if design.criterion == "g":
        ax.axhline(design.value, ls="--", lw=1, color="0.5", label="largest")
    ax.set(xlabel=_names(design)[0] if on_a_line else "row", ylabel="variance", ylim=(0, None))
    ax.legend()
    return ax


def plot_intervals(
    estimates: Estimates | BanditReport | Bandit | Campaign | Status, *, top: int | None = 30, ax: Any = None
) -> Any:
    """Estimates with their intervals, the best on top: ``top`` of them, or all with ``None``.

    The best are the largest, or the smallest of a campaign that minimises.
    """
    if isinstance(estimates, Campaign):
        estimates = estimates.status()
    small_is_good = isinstance(estimates, Mapping) and estimates["aim"] == "minimise"
    rows = sorted(_intervals(estimates), key=lambda row: row[1] if small_is_good else -row[1])[:top]
    if not rows:
        raise OptionError("there are no intervals yet")
    ax = _axes(ax)
    places = np.arange(len(rows))[::-1]
    middle = np.array([row[1] for row in rows])
    ends = np.abs(np.array([[row[1] - row[2], row[3] - row[1]] for row in rows])).T
    ax.errorbar(middle, places, xerr=ends, fmt="o", ms=4, capsize=2)
    ax.set_yticks(places, [row[0] for row in rows])
    ax.set(xlabel="estimate")
    return ax


def _intervals(source: Any) -> list[tuple[str, float, float, float]]:
    if isinstance(source, Estimates):
        columns = (source.pool.choice_ids, source.estimate, source.lower, source.upper)
        return list(zip(*columns, strict=True))
    if isinstance(source, Bandit):
        source = source.report()
    if isinstance(source, BanditReport):
        return [(row["id"], row["estimate"], row["lower"], row["upper"]) for row in source.intervals]
    spans = [(row["id"], row["interval"]) for row in source["survivors"] if row["interval"] is not None]
    return [(id, span["estimate"], span["lower"], span["upper"]) for id, span in spans]


def plot_regret(simulation: Simulation, *, what: str = "regret", ax: Any = None) -> Any:
    """The mean ``regret`` or ``simple_regret`` of each algorithm along its runs, with bands of two standard errors."""
    if what not in ("regret", "simple_regret"):
        raise OptionError(f"what is 'regret' or 'simple_regret', not {what!r}")
    ax = _axes(ax)
    for name, runs in simulation.items():
        samples, mean, error = runs.curve_of(what)
        (line,) = ax.plot(samples, mean, label=name)
        ax.fill_between(samples, mean - 2 * error, mean + 2 * error, alpha=0.2, color=line.get_color(), lw=0)
    ax.set(xlabel="measurements", ylabel=what.replace("_", " "))
    ax.legend()
    return ax


def plot_elimination(source: BanditReport | Bandit | Campaign | Status, *, ax: Any = None) -> Any:
    """How many choices are still in after each round."""
    if isinstance(source, Bandit):
        source = source.report()
    if isinstance(source, Campaign):
        source = source.status()
    if isinstance(source, BanditReport):
        left, out, rounds = len(source.survivors), source.eliminated, source.rounds
    elif isinstance(source, Mapping):
        left, out, rounds = len(source["survivors"]), source["eliminated"], source["rounds"]
    else:
        raise OptionError("give a bandit, a campaign, or what they report")
    ax = _axes(ax)
    gone = np.bincount([entry["round"] for entry in out], minlength=rounds + 1) if out else np.zeros(rounds + 1, dtype=int)
    still_in = left + len(out) - np.cumsum(gone)
    ax.step(np.arange(len(still_in)), still_in, where="post")
    ax.set(xlabel="round", ylabel="choices still in", ylim=(0, None))
    return ax
