"""Pictures are drawn on the axes given, without a window."""

from __future__ import annotations

from pathlib import Path

import elfving
import matplotlib
import numpy as np
import pytest
from conftest import table

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

LINE = elfving.Pool(np.linspace(0, 1, 21).reshape(-1, 1), polynomial_model=2, feature_names=["dose"])


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def report() -> elfving.BanditReport:
    means = [0.1, 0.9, 0.3]
    bandit = elfving.Bandit(np.eye(3), epsilon=0.1, sigma=0.05, norm=1.0, noise="sub-gaussian")
    while pulls := bandit.ask(3):
        bandit.tell({pull: means[pull.row] for pull in pulls})
    return bandit.report()


def test_designs_and_variances_are_drawn() -> None:
    for pool in (LINE, table(30, 3), elfving.Pool.from_gram(np.eye(4))):
        design = elfving.design(pool, "g", gamma=0.01)
        axes = plt.subplots()[1]
        assert elfving.plot_design(design, ax=axes) is axes and axes.has_data()
        axes = elfving.plot_variance(design)
        assert axes.lines[0].get_ydata().max() == pytest.approx(design.value)
    axes = elfving.plot_design(elfving.design(LINE, "d"))
    assert axes.get_ylabel() == "weight" and axes.get_xlabel() == "dose"


def test_intervals_regret_and_elimination_are_drawn(tmp_path: Path) -> None:
    plan = elfving.round(elfving.design(table(10, 2)), 20)
    estimates = elfving.estimate(plan, np.arange(20.0), sigma=1.0)
    axes = elfving.plot_intervals(estimates, top=4)
    assert len(axes.get_yticks()) == 4
    found = report()
    assert elfving.plot_intervals(found).has_data()
    counts = elfving.plot_elimination(found).lines[0].get_ydata()
    assert counts[0] == 3 and counts[-1] == len(found.survivors)
    runs = elfving.simulate(np.eye(3), [0.1, 0.9, 0.3], algorithm=["random", "gp-ucb"], budget=20, goal="regret", repetitions=3)
    axes = elfving.plot_regret(runs, what="simple_regret")
    assert [line.get_label() for line in axes.lines] == ["random", "gp-ucb"]
    with pytest.raises(elfving.OptionError, match="what is"):
        elfving.plot_regret(runs, what="joy")
    with pytest.raises(elfving.OptionError, match="give a bandit"):
        elfving.plot_elimination(3)


def test_campaigns_are_drawn(tmp_path: Path) -> None:
    import pandas as pd

    frame = pd.DataFrame({"id": list("abcd"), "dose": [1.0, 2.0, 3.0, 4.0]})
    campaign = elfving.Campaign.create(
        tmp_path / "c", frame, id="id", maximize="y", noise="sub-gaussian", sigma=0.1, norm=1.0, epsilon=0.1, batch=4
    )
    campaign.tell({slot.slot: 0.1 * slot.columns["dose"] for slot in campaign.ask()})
    assert elfving.plot_intervals(campaign).has_data()
    assert elfving.plot_elimination(campaign).has_data()


def test_without_matplotlib_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match="pip install"):
        elfving.plot_design(elfving.design(np.eye(2)))


def test_the_smallest_are_on_top_where_small_is_good(tmp_path: Path) -> None:
    import polars

    doses = polars.DataFrame({"id": list("abcdef"), "dose": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]})
    campaign = elfving.Campaign.create(
        tmp_path / "waste", doses, id="id", minimize="waste", mode="calibrated", batch=6, budget=12
    )
    for _ in range(2):
        campaign.tell({slot.slot: (slot.columns["dose"] - 2) ** 2 + 0.001 * k for k, slot in enumerate(campaign.ask())})
    drawn = elfving.plot_intervals(campaign)
    labels = [label.get_text() for label in drawn.get_yticklabels()]
    assert labels[int(np.argmax(drawn.get_yticks()))] == campaign.status().picks[0] == "b"


def test_the_variance_under_a_kernel_is_drawn_at_a_tight_gap_too() -> None:
    pool = elfving.Pool(np.linspace(0, 1, 101).reshape(-1, 1) ** 2, kernel=elfving.kernels.rbf(0.05))
    design = elfving.design(pool, "g", gamma=0.005, tolerance=1e-9)
    assert elfving.plot_variance(design).lines[0].get_ydata().max() == pytest.approx(design.value, rel=1e-6)
    # Weights that nobody could see are left out.
    shown = elfving.plot_design(design).lines[0].get_ydata()
    assert 0 < len(shown) <= len(design.support) and min(shown) >= 1e-3 * max(shown)
