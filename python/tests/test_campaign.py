"""Campaigns: ask, tell, correct, close, and everything that bad input gets."""

from __future__ import annotations

import datetime
import pickle
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import elfving
import numpy as np
import pandas as pd
import polars as pl
import pytest

DOSES = pd.DataFrame({"id": list("abcdef"), "dose": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]})
CERTIFIED: dict[str, Any] = {"id": "id", "maximize": "yield", "noise": "sub-gaussian", "sigma": 0.1, "norm": 1.0, "epsilon": 0.2}


@pytest.fixture
def campaign(tmp_path: Path) -> elfving.Campaign:
    return elfving.Campaign.create(tmp_path / "doses", DOSES, **CERTIFIED, batch=4)


def outcome(slot: elfving.Slot) -> float:
    return 0.1 * slot.columns["dose"]


def test_a_campaign_runs_to_its_verdict(campaign: elfving.Campaign) -> None:
    for _ in range(50):
        batch = campaign.ask()
        if batch.stopped:
            break
        told = campaign.tell({slot.slot: outcome(slot) for slot in batch})
        assert told.recorded == len(batch)
    status = campaign.status()
    assert status.picks == ["f"] and status["guarantee"] == "certified"
    assert len(campaign.ask()) == 0 and "nothing to measure" in repr(campaign.ask())
    assert "the pick is" in str(status)


def test_an_open_batch_is_shown_again_never_redrawn(campaign: elfving.Campaign) -> None:
    first = campaign.ask()
    again = campaign.ask()
    assert not first.again and again.again
    assert [slot.slot for slot in again] == [slot.slot for slot in first]
    assert [slot.slot for slot in elfving.Campaign.open(campaign.path).ask()] == [slot.slot for slot in first]


def test_what_is_told_twice_is_counted_once(campaign: elfving.Campaign) -> None:
    results = {slot.slot: outcome(slot) for slot in campaign.ask()}
    assert campaign.tell(results).recorded == 4
    told = campaign.tell(results)
    assert (told.recorded, told.repeated) == (0, 4)


def test_every_way_of_telling_says_the_same(tmp_path: Path) -> None:
    def told(how: str) -> list[dict[str, Any]]:
        campaign = elfving.Campaign.create(tmp_path / how, DOSES, **CERTIFIED, batch=4, seed=3, at=1000)
        batch = campaign.ask(at=2000)
        values = [outcome(slot) for slot in batch]
        if how == "mapping":
            campaign.tell({slot.slot: value for slot, value in zip(batch, values, strict=True)}, at=3000)
        elif how == "pandas":
            frame = batch.to_dataframe()
            frame["yield"] = values
            campaign.tell(frame, at=3000)
        elif how == "polars":
            campaign.tell(batch.to_dataframe("polars").with_columns(pl.Series("yield", values)), at=3000)
        else:
            path = tmp_path / "results.csv"
            lines = batch.to_csv().splitlines()
            filled = [f"{line[:-2]},{value}," for line, value in zip(lines[1:], values, strict=True)]
            path.write_text("\n".join([lines[0], *filled]))
            campaign.tell(path, at=3000)
        return [{**slot, "slot": slot["slot"]} for slot in campaign.slots()]

    expected = told("mapping")
    assert [slot["reading"] for slot in expected if slot["state"] == "told"]
    for how in ("pandas", "polars", "file"):
        assert told(how) == expected


def test_repeats_errors_failures_and_blanks(campaign: elfving.Campaign) -> None:
    a, b, c, d = (slot.slot for slot in campaign.ask())
    told = campaign.tell({a: [0.4, 0.5], b: (0.3, 0.05), c: None})
    assert (told.recorded, told.failed, told.open) == (2, 1, 2)
    again = campaign.ask()
    assert again[0].failed_before and again[0].slot == c and d not in [slot.slot for slot in again]
    assert d in [slot.slot for slot in campaign.ask(open=True)]
    blank = pd.DataFrame({"slot": [c, d], "yield": [0.2, np.nan]})
    told = campaign.tell(blank)
    assert (told.recorded, told.blank) == (1, 1)
    failed = pd.DataFrame({"slot": [d], "yield": [np.nan], "status": ["failed"]})
    assert campaign.tell(failed).failed == 1
    readings = {slot["slot"]: slot["reading"] for slot in campaign.slots()}
    assert readings[a] == [0.4, 0.5] and readings[b] == {"value": 0.3, "standard_error": 0.05}


def test_bad_results_get_their_class_and_write_nothing(campaign: elfving.Campaign, tmp_path: Path) -> None:
    slot, other, *_ = (slot.slot for slot in campaign.ask())
    campaign.tell({slot: 0.5})
    before = campaign.status()["event"]
    cases: list[tuple[Any, type[Exception], str]] = [
        ({"S9999X": 1.0}, elfving.UnknownSlot, "not a slot"),
        ({slot: 0.7}, elfving.ConflictError, "0.5 on record; the new one is 0.7"),
        ({other: float("nan")}, elfving.DataError, "not a finite number"),
        ({other: float("inf")}, elfving.DataError, "finite"),
        ({other: "n.d."}, elfving.DataError, "not a number"),
        ({other: True}, elfving.DataError, "not a number"),
        ({other: (1.0, -1.0)}, elfving.DataError, "error"),
        ({other: (1.0, 2.0, 3.0)}, elfving.DataError, "pair"),
        (pd.DataFrame({"slot": ["S9999X"], "yield": [1.0]}), elfving.UnknownSlot, "E337"),
        (pd.DataFrame({"slot": [slot], "yield": [0.7]}), elfving.ConflictError, "E342"),
        (pd.DataFrame({"slot": [other, other], "yield": [1.0, 1.0]}), elfving.DataError, "E338"),
        (pd.DataFrame({"slot": [other], "yield": [np.inf]}), elfving.DataError, "E312"),
        (pd.DataFrame({"slot": [other], "yield": ["0,51"]}), elfving.DataError, "E311"),
        (pd.DataFrame({"slot": [other]}), elfving.DataError, "E333"),
        (tmp_path / "none.csv", elfving.MissingFileError, "cannot be read"),
        (3.0, elfving.DataError, "path or a data frame"),
    ]
    for results, kind, says in cases:
        with pytest.raises(kind, match=says):
            campaign.tell(results)
    assert campaign.status()["event"] == before


def test_a_correction_needs_a_reason_and_keeps_both(campaign: elfving.Campaign) -> None:
    slot, other, *_ = (slot.slot for slot in campaign.ask())
    campaign.tell({slot: 0.5})
    assert campaign.correct(slot, 0.6, reason="a comma was misread").corrected == 1
    assert campaign.tell({slot: 0.7}, correct="again").corrected == 1
    assert campaign.log()[-1]["body"]["reason"] == "again"
    with pytest.raises(elfving.DataError, match="no outcome yet"):
        campaign.correct(other, 0.5, reason="none")


def test_a_dry_run_writes_nothing(campaign: elfving.Campaign) -> None:
    slot = campaign.ask()[0].slot
    assert campaign.tell({slot: 0.5}, dry_run=True).recorded == 1
    assert campaign.tell({slot: 0.5}).recorded == 1


def test_a_round_with_open_slots_closes_only_without_guarantee(campaign: elfving.Campaign) -> None:
    slots = campaign.ask()
    campaign.tell({slots[0].slot: 0.5})
    with pytest.raises(elfving.RoundIncomplete, match="3 slots"):
        campaign.close()
    # All data decide: open slots are given up without a loss, and what still comes is taken.
    campaign.close(no_guarantee=True)
    assert campaign.status()["guarantee"] == "certified" and campaign.status()["open"] == 0
    assert campaign.tell({slots[1].slot: 0.5}).recorded == 1


def test_workers_failures_and_changes_of_mind(tmp_path: Path) -> None:
    options = {**CERTIFIED, "epsilon": 1e-6, "batch": 4}
    campaign = elfving.Campaign.create(tmp_path / "lab", DOSES, **options)
    one, two = campaign.ask(2, worker="one"), campaign.ask(2, worker="two")
    assert not {slot.slot for slot in one} & {slot.slot for slot in two}
    assert [slot.slot for slot in campaign.ask(2, worker="one")] == [slot.slot for slot in one]
    assert set(campaign.status()["workers"]) == {"one", "two"}
    assert campaign.release(worker="two") == 2
    told = campaign.tell({one[0].slot: "infeasible"})
    assert told.infeasible == 1 and told.set_aside == [one[0].id]
    assert campaign.status()["set_aside"][0]["reason"] == "told as infeasible"
    assert campaign.allow([one[0].id], reason="another solvent")["candidates"] == 1
    assert campaign.forbid(["f"], reason="sold out")["candidates"] == 1
    assert all(slot.id != "f" for slot in campaign.ask(8, worker="three"))
    with pytest.raises(elfving.OptionError, match="reason"):
        campaign.change(reason="", batch=3)
    campaign.change(reason="smaller plates", batch=3, max_repeats=1)
    assert campaign.spec["batch"] == 3 and campaign.spec["limits"] == {"in_a_batch": 1}
    volunteered = campaign.tell(pd.DataFrame({"id": ["a", "b"], "yield": [0.2, 0.3]}))
    assert volunteered.volunteered == 2


def test_another_batch_is_worth_what_is_stated_or_not(tmp_path: Path) -> None:
    options = {"id": "id", "maximize": "yield", "mode": "calibrated", "batch": 2}
    campaign = elfving.Campaign.create(tmp_path / "worth", DOSES, worth=1e6, **options)
    assert "next_batch" not in campaign.status()
    first, second = campaign.ask()
    assert campaign.tell({first.slot: 0.5}).next_batch is None, "a slot is open"
    told = campaign.tell({second.slot: 0.1})
    assert told.next_batch is not None and told.next_batch["advice"] == "stop"
    assert told.next_batch == campaign.status().next_batch and told.next_batch["size"] == 2
    assert campaign.status().next_batch["words"] in str(campaign.status())
    campaign.change(worth=1e-12, reason="every bit counts")
    assert campaign.spec["worth"] == 1e-12
    assert campaign.status().next_batch["advice"] == ("continue" if told.next_batch["upper"] > 1e-12 else "stop")
    for wrong in (-1.0, float("nan")):
        with pytest.raises(elfving.OptionError, match="worth"):
            elfving.Campaign.create(tmp_path / "wrong", DOSES, worth=wrong, **options)
    with pytest.raises(elfving.OptionError, match="calibrated"):
        elfving.Campaign.create(tmp_path / "certified", DOSES, worth=1.0, **CERTIFIED)


def test_files_that_are_no_campaigns_get_their_class(tmp_path: Path, campaign: elfving.Campaign) -> None:
    with pytest.raises(FileNotFoundError, match="cannot be read") as missing:
        elfving.Campaign.open(tmp_path / "none")
    assert isinstance(missing.value, elfving.DataError)
    (tmp_path / "text.elfving").write_text("hello " * 1000)
    with pytest.raises(elfving.CorruptCampaign, match="not a campaign"):
        elfving.Campaign.open(tmp_path / "text")
    with pytest.raises(FileExistsError, match="already"):
        elfving.Campaign.create(campaign.path, DOSES, **CERTIFIED)
    damaged = tmp_path / "damaged.elfving"
    content = bytearray(campaign.path.read_bytes())
    place = content.index(b'"seed"')
    content[place + 1 : place + 3] = b"xx"
    damaged.write_bytes(content)
    with pytest.raises(elfving.CorruptCampaign, match="damaged"):
        elfving.Campaign.open(damaged)
    newer = tmp_path / "newer.elfving"
    newer.write_bytes(campaign.path.read_bytes())
    with sqlite3.connect(newer) as file:
        file.execute("pragma user_version = 99")
    with pytest.raises(elfving.VersionError, match="99"):
        elfving.Campaign.open(newer)


def test_a_disk_that_refuses_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(elfving.DurabilityError) as refused:
        elfving.Campaign.create(tmp_path / "no such folder" / "doses", DOSES, **CERTIFIED)
    assert isinstance(refused.value, OSError)


HOLDER = """
import sqlite3, sys
file = sqlite3.connect(sys.argv[1], isolation_level=None)
file.execute("begin exclusive")
print("held", flush=True)
sys.stdin.read()
"""


def test_a_locked_file_says_so(campaign: elfving.Campaign) -> None:
    # Another process, because locks of a file do not hold within one.
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(campaign.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None and holder.stdout.readline() == "held\n"
    with pytest.raises(elfving.LockedError, match="another process"):
        campaign.ask()
    holder.communicate()
    assert len(campaign.ask()) == 4


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"maximize": None}, "maximize= or minimize="),
        ({"minimize": "yield"}, "one of them"),
        ({"noise": None}, "noise='sub-gaussian'"),
        ({"noise": "loud"}, "noise is"),
        ({"sigma": None}, "needs sigma"),
        ({"sigma": -1.0}, "sigma must be"),
        ({"delta": 0.0}, "delta must lie"),
        ({"epsilon": -1.0}, "epsilon must be"),
        ({"epsilon": float("nan")}, "epsilon must be"),
        ({"gamma": -1.0}, "gamma must be"),
        ({"batch": 0}, "batch must be"),
        ({"budget": 0}, "budget must be"),
        ({"goal": "luck"}, "there is no goal"),
        ({"mode": "hope"}, "mode is"),
        ({"force": ["z"]}, "no candidate"),
        ({"forbid": list("abcdef")}, "every candidate is forbidden"),
        ({"algorithm": "magic"}, "magic"),
    ],
)
def test_wrong_options_are_value_errors(tmp_path: Path, options: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        elfving.Campaign.create(tmp_path / "doses", DOSES, **{**CERTIFIED, **options})
    assert not (tmp_path / "doses.elfving").exists()


def test_a_round_beyond_the_budget_is_an_end_with_the_number(tmp_path: Path) -> None:
    heavy = {**CERTIFIED, "noise": "bounded-variance", "bound": 1.0, "norm": None, "budget": 10}
    campaign = elfving.Campaign.create(tmp_path / "heavy", DOSES, **heavy)
    batch = campaign.ask()
    assert len(batch) == 0 and "measurements, more than the budget of 10 leaves" in str(batch.stopped)


def test_forbidden_forced_and_earlier_rows(tmp_path: Path) -> None:
    campaign = elfving.Campaign.create(
        tmp_path / "rows", DOSES, **CERTIFIED, forbid=["f"], force=["b", "c"], measured={"a": [0.1, 0.12], "f": 0.6}
    )
    batch = campaign.ask()
    assert sorted(slot.id for slot in batch if slot.kind == "forced") == ["b", "c"]
    assert campaign.status()["earlier"] == 2
    assert campaign.bring_in({"e": 0.5})
    assert campaign.candidate("f")["forbidden"]


def test_calibrated_campaigns_take_text_as_categories_and_say_so(tmp_path: Path) -> None:
    n = 30
    frame = pd.DataFrame({"x": range(n), "ligand": ["u", "v"] * (n // 2), "note": [f"n{i}" for i in range(n)]})
    with pytest.warns(elfving.DataWarning, match='W304.*"note"'):
        campaign = elfving.Campaign.create(tmp_path / "c", frame, minimize="ms", mode="calibrated")
    assert campaign.spec["recipe"]["columns"]["one_hot"] == {"Columns": ["ligand"]}
    assert campaign.columns.names == ["x", "ligand"]
    assert campaign.columns[1] == {"column": "ligand", "kind": "category", "levels": 2, "first": ["u", "v"]}
    assert repr(campaign.columns).splitlines()[2] == "note    ignored: text that names rows"
    assert campaign.model == "a model fitted to the data (Matern 5/2) on x, ligand"
    assert campaign.status().model == campaign.model
    # The first rows of the same table are read alike, and any column can be declared.
    short = elfving.Campaign.create(tmp_path / "s", frame.head(8), minimize="ms", mode="calibrated", categorical="x")
    assert [column["kind"] for column in short.columns] == ["category"] * 3
    batch = campaign.ask(4)
    campaign.tell({slot.slot: float(slot.columns["x"]) for slot in batch})
    assert campaign.status()["guarantee"] == "calibrated"


def test_targets_are_chosen_among(tmp_path: Path) -> None:
    others = pd.DataFrame({"id": ["y", "z"], "dose": [7.0, 8.0]})
    campaign = elfving.Campaign.create(tmp_path / "t", DOSES, targets=others, **CERTIFIED)
    assert campaign.status()["choices"] == 2


def test_the_report_the_log_the_export_and_the_check(campaign: elfving.Campaign, tmp_path: Path) -> None:
    campaign.tell({slot.slot: outcome(slot) for slot in campaign.ask()})
    assert campaign.report() == campaign.path.with_suffix(".html")
    assert campaign.report(tmp_path / "r.html").read_text().startswith("<!DOCTYPE html>")
    assert [event["kind"] for event in campaign.log()][:3] == ["created", "asked", "told"]
    assert campaign.export()["spec"] == campaign.spec
    assert campaign.to_csv().startswith("slot,id,round,status,yield")
    assert campaign.verify()["differing"] == []
    campaign.to_csv(tmp_path / "m.csv")
    assert (tmp_path / "m.csv").read_text() == campaign.to_csv()


def test_no_output_replaces_a_campaign_or_a_file_of_another_kind(campaign: elfving.Campaign, tmp_path: Path) -> None:
    before = campaign.path.read_bytes()
    copy = tmp_path / "copy.html"
    copy.write_bytes(before)
    link = tmp_path / "link.csv"
    link.symlink_to(campaign.path)
    page = tmp_path / "page.csv"
    page.write_text("<!doctype html>")
    batch = campaign.ask()
    before = campaign.path.read_bytes()
    for refused in (
        lambda: campaign.report(copy),
        lambda: campaign.to_csv(campaign.path),
        lambda: campaign.to_csv(link),
        lambda: campaign.to_csv(page),
        lambda: batch.to_csv(campaign.path),
    ):
        with pytest.raises(FileExistsError, match="is not replaced.*choose another name"):
            refused()
    with pytest.raises(ValueError, match="a report is written as .html"):
        campaign.report(tmp_path / "r.pdf")
    assert campaign.path.read_bytes() == before and page.read_text() == "<!doctype html>"


def test_times_are_those_given(tmp_path: Path) -> None:
    when = datetime.datetime(2026, 11, 16, 12, tzinfo=datetime.timezone.utc)
    campaign = elfving.Campaign.create(tmp_path / "when", DOSES, **CERTIFIED, at=when)
    assert campaign.log()[0]["at"] == int(when.timestamp() * 1000)


def test_without_a_time_it_is_now_or_that_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    before = time.time_ns() // 1_000_000
    campaign = elfving.Campaign.create(tmp_path / "now", DOSES, **CERTIFIED)
    assert before <= campaign.log()[0]["at"] <= time.time_ns() // 1_000_000
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1795000000")
    assert elfving.Campaign.create(tmp_path / "then", DOSES, **CERTIFIED).log()[0]["at"] == 1795000000000


def test_a_sheet_that_cannot_be_written_says_so(campaign: elfving.Campaign, tmp_path: Path) -> None:
    with pytest.raises(elfving.DurabilityError, match="cannot be written"):
        campaign.ask().to_csv(tmp_path / "no such folder" / "batch.csv")


def test_two_handles_on_one_file_see_each_other(campaign: elfving.Campaign) -> None:
    other = elfving.Campaign.open(campaign.path.with_suffix(""))
    slots = campaign.ask()
    other.tell({slots[0].slot: 0.5})
    assert campaign.status()["told"] == 1
    assert pickle.loads(pickle.dumps(campaign)).status()["told"] == 1


def test_it_shows_in_notebooks(campaign: elfving.Campaign) -> None:
    batch = campaign.ask()
    assert "<table>" in batch._repr_html_() and "<ul>" in campaign._repr_html_()
    status = campaign.status()
    assert dict(pickle.loads(pickle.dumps(status))) == dict(status)
    with pytest.raises(AttributeError, match="a status has no 'nonsense'"):
        _ = status.nonsense


def test_plates_controls_and_rules_about_columns(tmp_path: Path) -> None:
    pool = pd.DataFrame({"id": [f"c{k}" for k in range(12)], "dose": range(12), "ligand": ["P", "Q", "R"] * 4})
    campaign = elfving.Campaign.create(
        tmp_path / "plates", pool, id="id", maximize="y", mode="calibrated", batch=5, plate="2x3", control={"c0": 1},
        same="ligand",
    )
    batch = campaign.ask()
    assert [slot.well for slot in batch] == ["A1", "A2", "A3", "B1", "B2"]
    assert [slot.id for slot in batch if slot.kind == "control"] == ["c0"]
    assert len({slot.columns["ligand"] for slot in batch if slot.kind != "control"}) == 1
    lines = (batch.plate_map() or "").splitlines()
    assert lines[0] == "plate 1,1,2,3" and lines[1].split(",")[1:] == [slot.id for slot in batch[:3]]
    batch.plate_map(tmp_path / "map.csv")
    assert (tmp_path / "map.csv").read_text() == batch.plate_map()
    assert "well" in batch.to_dataframe().columns
    row = batch.to_dict()["rows"][0]
    assert row["columns"] == {"dose": int(row["id"][1:]), "ligand": batch[0].columns["ligand"]}
    elsewhere = elfving.Campaign.open(tmp_path / "plates")
    elsewhere.change(plate="1x8", reason="other plates")
    campaign.change(plate="2x3", reason="back again")
    elsewhere.change(control={"c1": 1}, reason="seen from elsewhere")
    assert elfving.Campaign.open(tmp_path / "plates").spec["layout"]["plate"] == "2x3"
    campaign.change(at_most={"ligand": 2}, reason="two bottles")
    assert campaign.spec["layout"]["at_most"] == [{"column": "ligand", "most": 2}]
    assert campaign.spec["layout"]["plate"] == "2x3"
    with pytest.raises(elfving.OptionError, match="8x12"):
        elfving.Campaign.create(tmp_path / "no", pool, id="id", maximize="y", mode="calibrated", plate="many")


def test_candidates_come_later_and_go_by_a_condition(tmp_path: Path) -> None:
    pool = pd.DataFrame({"id": ["a", "b", "c"], "dose": [1.0, 2.0, 3.0]})
    campaign = elfving.Campaign.create(tmp_path / "later", pool, id="id", maximize="y", mode="calibrated", batch=2)
    added = campaign.extend(pd.DataFrame({"id": ["d", "e"], "dose": [9.0, 2.5]}), reason="they came")
    assert added["candidates"] == 2
    assert campaign.status().candidates == 5
    assert campaign.forbid(where="dose > 5", reason="too much")["candidates"] == 1
    assert campaign.allow(where="dose > 5", reason="not too much")["candidates"] == 1
    with pytest.raises(elfving.DataError, match="is a candidate already|candidate already"):
        campaign.extend(pd.DataFrame({"id": ["a"], "dose": [7.0]}), reason="again")
    with pytest.raises(elfving.OptionError, match="dosis"):
        campaign.forbid(where="dosis > 5", reason="a slip")


def test_a_certified_campaign_without_a_kernel_names_its_smooth_model(tmp_path: Path) -> None:
    campaign = elfving.Campaign.create(tmp_path / "doses", DOSES, **CERTIFIED)
    assert campaign.model.startswith("smooth with an intercept: Matern 5/2")
    linear = elfving.Campaign.create(tmp_path / "linear", DOSES, **CERTIFIED, kernel=elfving.kernels.linear())
    assert linear.model.startswith("linear in the column")


def test_a_range_needs_no_sigma_and_an_earlier_campaign_bets(tmp_path: Path) -> None:
    question = {"id": "id", "maximize": "yield", "norm": 2.0, "epsilon": 0.2, "range": (0, 1)}
    first = elfving.Campaign.create(tmp_path / "first", DOSES, **question)
    slots = first.ask()
    with pytest.raises(elfving.DataError, match="outside the range 0 to 1"):
        first.tell({slots[0].slot: 1.5})
    first.tell({slot.slot: 0.5 for slot in slots})
    second = elfving.Campaign.create(tmp_path / "second", DOSES, **question, prior=first)
    third = elfving.Campaign.create(tmp_path / "third", DOSES, **question, prior=[tmp_path / "first", second.path.with_name("first.elfving")])
    assert second.spec["priors"] == ["the earlier campaign first"]
    assert len(third.spec["priors"]) == 2
    assert [bet["believed"] for bet in second.status().bets].count(True) == 1
