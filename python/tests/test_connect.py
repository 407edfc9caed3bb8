"""A campaign on a server gives the answers of a campaign on its file."""

from __future__ import annotations

import inspect
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import elfving
import polars
import pytest

POOL = polars.DataFrame({"id": ["a", "b", "c", "d", "e", "f"], "dose": [1.0, 2, 3, 4, 5, 6], "base": ["K", "C"] * 3})


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[elfving.Campaign, elfving.RemoteCampaign]]:
    """A campaign on its file, and a copy of it on a server."""
    path = os.environ.get("ELFVING_PROGRAM")
    if path is None:
        pytest.skip("ELFVING_PROGRAM names the program that serves")
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir(), there.mkdir()
    local = elfving.Campaign.create(
        here / "screen", POOL, id="id", maximize="yield", mode="calibrated", batch=3, plate="2x3", at=1_000_000_000
    )
    shutil.copy(here / "screen.elfving", there / "screen.elfving")
    # The clock stands still, so that the records are the same.
    command = [path, "serve", "--listen", "127.0.0.1:0", "--json", "--dir", str(there)]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "2000000"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
        assert server.stdout is not None
        address = json.loads(server.stdout.readline())["address"]
        yield local, elfving.connect(f"{address}/c/screen")
        server.kill()


AT = 2_000_000_000



def test_every_answer_is_the_same(pair: tuple[elfving.Campaign, elfving.RemoteCampaign]) -> None:
    local, remote = pair
    for _ in range(2):
        one, other = local.ask(worker="r1", at=AT), remote.ask(worker="r1")
        assert one.to_dict() == other.to_dict()
        assert (one.to_csv(), one.plate_map(), list(one)) == (other.to_csv(), other.plate_map(), list(other))
        slots = [slot.slot for slot in one]
        told: dict[str, Any] = {slots[0]: 1.5, slots[1]: [1.0, 2.0], slots[2]: None}
        assert local.tell(told, dry_run=True, at=AT) == remote.tell(told, dry_run=True)
        assert local.tell(told, at=AT) == remote.tell(told)
    assert local.correct(slots[0], (2.5, 0.1), reason="misread", at=AT) == remote.correct(
        slots[0], (2.5, 0.1), reason="misread"
    )
    assert local.forbid(["f"], reason="sold out", at=AT) == remote.forbid(["f"], reason="sold out")
    assert local.allow(where="dose > 5", reason="found", at=AT) == remote.allow(where="dose > 5", reason="found")
    assert local.change(batch=4, plate="3x4", reason="larger", at=AT) == remote.change(
        batch=4, plate="3x4", reason="larger"
    )
    assert local.bring_in({"e": 3.0}, at=AT) == remote.bring_in({"e": 3.0})
    more = polars.DataFrame({"id": ["g"], "dose": [7.0], "base": ["K"]})
    assert local.extend(more, reason="new", at=AT) == remote.extend(more, reason="new")
    sheet = polars.DataFrame({"slot": [slots[2]], "yield": [0.5]})
    assert local.tell(sheet, at=AT) == remote.tell(sheet)
    assert local.release(worker="r1", at=AT) == remote.release(worker="r1")
    assert dict(local.status()) == dict(remote.status())
    assert local.log() == remote.log(), "event by event, seal by seal"
    assert local.candidate("a") == remote.candidate("a")
    assert (local.slots(), local.export(), local.to_csv()) == (remote.slots(), remote.export(), remote.to_csv())
    assert (local.spec, local.model, list(local.columns)) == (remote.spec, remote.model, list(remote.columns))
    assert local.verify() == remote.verify()
    assert local.html(at=AT) == remote.html()
    assert local.ask(open=True).to_dict() == remote.ask(open=True).to_dict()


def test_every_refusal_is_the_same(pair: tuple[elfving.Campaign, elfving.RemoteCampaign], tmp_path: Path) -> None:
    local, remote = pair
    slot = local.ask(at=AT)[0].slot
    remote.ask()
    local.tell({slot: 1.0}, at=AT), remote.tell({slot: 1.0})
    bad = tmp_path / "bad.csv"
    bad.write_text(f"slot,yield\n{slot},NaN\n")
    for act in (
        lambda campaign: campaign.tell({slot: 2.0}),
        lambda campaign: campaign.tell({"S9999X": 2.0}),
        lambda campaign: campaign.tell(bad),
        lambda campaign: campaign.ask(0),
        lambda campaign: campaign.forbid(["nobody"], reason="x"),
        lambda campaign: campaign.change(reason="nothing"),
    ):
        with pytest.raises(elfving.ElfvingError) as one:
            act(local)
        with pytest.raises(elfving.ElfvingError) as other:
            act(remote)
        assert type(one.value) is type(other.value), (one.value, other.value)
    with pytest.raises(elfving.OptionError):
        elfving.connect("http://127.0.0.1:1")
    with pytest.raises(elfving.OptionError):
        elfving.connect("file:///etc/passwd", campaign="x")


def test_the_methods_are_those_of_a_campaign() -> None:
    def names(kind: type) -> set[str]:
        return {name for name in vars(kind) if not name.startswith("_")}

    # What a file has and a server has not: where it is, how it begins, and a report written beside it.
    assert names(elfving.Campaign) - names(elfving.RemoteCampaign) == {"create", "open", "path", "report"}
    assert names(elfving.RemoteCampaign) <= names(elfving.Campaign)
    for name in names(elfving.RemoteCampaign):
        method = getattr(elfving.Campaign, name)
        if callable(method):
            mine = set(inspect.signature(getattr(elfving.RemoteCampaign, name)).parameters)
            assert mine <= set(inspect.signature(method).parameters), name
