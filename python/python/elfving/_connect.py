"""Campaigns on a server: the methods of a campaign on a file, and the same answers."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
import uuid
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from . import exceptions
from ._batch import Batch
from ._campaign import layout_of
from ._files import file_of, write
from ._outcomes import outcome_of, outcomes_of
from ._status import Columns, Status, Told
from .exceptions import OptionError

__all__ = ["RemoteCampaign", "connect"]

_BY_CODE = {
    "E210": exceptions.CampaignExistsError,
    "E226": exceptions.MissingFileError,
    "E301": exceptions.MissingFileError,
    "E337": exceptions.UnknownSlot,
    "E342": exceptions.ConflictError,
    "E360": exceptions.ConflictError,
    "E701": exceptions.NotIdentifiable,
    "E705": exceptions.NotPositiveSemidefinite,
    "E801": exceptions.RoundIncomplete,
    "E802": exceptions.BudgetError,
}
_BY_KIND = {
    "2": exceptions.OptionError,
    "3": exceptions.DataError,
    "4": exceptions.CorruptCampaign,
    "5": exceptions.DurabilityError,
    "6": exceptions.LockedError,
    "7": exceptions.NumericalError,
    "8": exceptions.ElfvingError,
    "9": exceptions.VersionError,
}


def connect(
    url: str, token: str | None = None, *, campaign: str | None = None, timeout: float = 60.0
) -> RemoteCampaign:
    """A campaign of a server that ``elfving serve`` runs.

    Parameters
    ----------
    url : str
        The campaign's page, such as ``"https://lab.example.org/c/screen"``; or, with ``campaign``, where the server is.
    token : str, optional
        The token that ``elfving serve token new`` showed; a server on this computer may need none.
    campaign : str, optional
        The name of the campaign, where ``url`` does not have it.
    timeout : float
        Seconds after which an answer is not waited for any longer. What was sent may be on record then; sending it again
        counts nothing twice.
    """
    if not url.startswith(("http://", "https://")):
        raise OptionError(f"a server is at http:// or https://, not at {url!r}")
    server, _, name = url.rstrip("/").rpartition("/c/")
    if campaign is None:
        if not server or not name or "/" in name:
            raise OptionError("name the campaign: connect(\"http://127.0.0.1:8080\", campaign=\"screen\")")
        url, campaign = server, name
    return RemoteCampaign(f"{url.rstrip('/')}/api/v1/campaigns/{quote(campaign, safe='')}", token, timeout)


class RemoteCampaign:
    """A campaign on a server, with the methods of :class:`Campaign`; see :func:`connect`."""

    def __init__(self, url: str, token: str | None, timeout: float) -> None:
        self._url, self._token, self._timeout = url, token, timeout

    def _send(
        self,
        method: str,
        path: str = "",
        body: Any = None,
        options: Mapping[str, Any] | None = None,
        file: tuple[str, bytes] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> bytes:
        said = {name: value for name, value in (options or {}).items() if value is not None}
        if file is not None:
            said["file"] = file[0]
        query = f"?{urlencode(said)}" if said else ""
        sent = dict(headers or {})
        if self._token is not None:
            sent["Authorization"] = f"Bearer {self._token}"
        content: bytes | None
        if file is not None:
            content, sent["Content-Type"] = file[1], "application/octet-stream"
        elif body is not None:
            content, sent["Content-Type"] = json.dumps(body, allow_nan=False).encode(), "application/json"
        else:
            content = None if method == "GET" else b""
        request = urllib.request.Request(f"{self._url}{path}{query}", data=content, headers=sent, method=method)
        try:
            with urllib.request.urlopen(request, timeout=self._timeout) as answer:
                return bytes(answer.read())
        except urllib.error.HTTPError as refused:
            raise _refusal(refused) from None

    def _json(self, method: str, path: str = "", body: Any = None, **more: Any) -> Any:
        return json.loads(self._send(method, path, body, **more))

    @property
    def spec(self) -> dict[str, Any]:
        """The question: everything that was decided before the first measurement."""
        spec: dict[str, Any] = self._json("GET", "/spec")["spec"]
        return spec

    @property
    def columns(self) -> Columns:
        """What the model sees of every column of the table."""
        return Columns(self._json("GET", "/spec")["columns"])

    @property
    def model(self) -> str:
        """The model with its columns, in words."""
        return str(self._json("GET", "/spec")["model"])

    def ask(self, batch: int | None = None, *, worker: str | None = None, open: bool = False) -> Batch:
        """What to measure now; see :meth:`Campaign.ask`. Without ``worker`` the slots are with the name of the token."""
        if batch is not None and batch < 1:
            raise OptionError("a batch has at least 1 measurement")
        if open:
            whole = self._json("GET", "/slots", options={"full": "true"})
        else:
            asked = {name: value for name, value in {"batch": batch, "worker": worker}.items() if value is not None}
            key = {"Idempotency-Key": uuid.uuid4().hex}
            whole = self._json("POST", "/ask", asked, options={"full": "true"}, headers=key)
        return Batch(whole["batch"], whole["sheet"].encode(), whole["plate_map"])

    def release(self, slots: Sequence[str] = (), *, worker: str | None = None, for_good: bool = False) -> int:
        """Gives slots back, or all of a worker; see :meth:`Campaign.release`."""
        body = {"slots": [str(slot) for slot in slots], "worker": worker, "for_good": for_good}
        return int(self._json("POST", "/release", body)["released"])

    def change(
        self,
        *,
        reason: str,
        budget: int | None = None,
        batch: int | None = None,
        epsilon: float | None = None,
        max_repeats: int | None = None,
        max_measurements: int | None = None,
        tries: int | None = None,
        plate: str | None = None,
        control: Mapping[str, int] | None = None,
        same: str | Sequence[str] | None = None,
        at_most: Mapping[str, int] | None = None,
    ) -> dict[str, Any]:
        """Changes what is asked from here on; see :meth:`Campaign.change`."""
        body: dict[str, Any] = {"reason": reason}
        given = {"budget": budget, "batch": batch, "epsilon": epsilon, "tries": tries}
        body.update({name: value for name, value in given.items() if value is not None})
        if max_repeats is not None or max_measurements is not None:
            body["limits"] = {"in_a_batch": max_repeats, "in_all": max_measurements}
        if not (plate is None and control is None and same is None and at_most is None):
            body["layout"] = layout_of(plate, control, same, at_most)
        changed: dict[str, Any] = self._json("POST", "/change", body)
        return changed

    def forbid(
        self, ids: Sequence[str] = (), *, reason: str, where: str | None = None, infeasible: bool = False
    ) -> dict[str, Any]:
        """Excludes candidates from here on; see :meth:`Campaign.forbid`."""
        body = {"ids": [str(name) for name in ids], "where": where, "infeasible": infeasible, "reason": reason}
        changed: dict[str, Any] = self._json("POST", "/forbid", body)
        return changed

    def allow(self, ids: Sequence[str] = (), *, reason: str, where: str | None = None) -> dict[str, Any]:
        """Lets excluded candidates back in."""
        body = {"ids": [str(name) for name in ids], "where": where, "reason": reason}
        changed: dict[str, Any] = self._json("POST", "/allow", body)
        return changed

    def extend(self, more: Any, *, reason: str) -> dict[str, Any]:
        """Adds the candidates of a file or data frame; see :meth:`Campaign.extend`."""
        id_column = self.spec["recipe"]["columns"].get("id")
        table = file_of(more, "more.csv", () if id_column is None else (id_column,))
        changed: dict[str, Any] = self._json("POST", "/extend", options={"reason": reason}, file=table)
        return changed

    def tell(
        self, results: Any, *, correct: str | None = None, dry_run: bool = False, decimal: str | None = None
    ) -> Told:
        """Takes outcomes in, all of them or none; see :meth:`Campaign.tell`. The same outcome told again changes nothing."""
        options = {"reason": correct, "dry_run": "true" if dry_run else None}
        if isinstance(results, Mapping):
            outcome = self.spec["outcome"]
            lines = [_line(slot, outcome, told) for slot, told in outcomes_of(results)]
            document = self._json("POST", "/tell", {"results": lines}, options=options)
        else:
            name, content = file_of(results, "results.csv", ("slot",), blanks=True)
            document = self._json("POST", "/tell", options={**options, "decimal": decimal}, file=(name, content))
        return _told(document)

    def correct(self, slot: str, outcome: Any, *, reason: str) -> Told:
        """Replaces one outcome, or says with ``None`` that the run had failed after all. The log keeps both and the reason."""
        kind, numbers = outcome_of(slot, outcome)
        value = "failed" if kind == "failed" else _reading(kind, numbers)
        path = f"/slots/{quote(str(slot), safe='')}/correct"
        body = {"value": value, "reason": reason}
        return _told(self._json("POST", path, body, options={"full": "true"}))

    def bring_in(self, measured: Mapping[str, Any]) -> bool:
        """Brings in measurements made elsewhere, by candidate; returns whether the algorithm can use them."""
        told = [(id, _reading(kind, numbers)) for id, (kind, numbers) in outcomes_of(measured) if numbers]
        return bool(self._json("POST", "/earlier", {"measurements": told})["used"])

    def close(self, *, no_guarantee: bool = False) -> None:
        """Closes the round under way; see :meth:`Campaign.close`."""
        self._send("POST", "/close", {"no_guarantee": no_guarantee})

    def status(self) -> Status:
        """Where the campaign stands: the answer so far, what is guaranteed, who is still in."""
        return Status(self._json("GET"))

    def candidate(self, id: str) -> dict[str, Any]:
        """All about one candidate."""
        story: dict[str, Any] = self._json("GET", f"/candidates/{quote(str(id), safe='')}")
        return story

    def slots(self) -> list[dict[str, Any]]:
        """Every slot with its candidate, round, state and outcome."""
        slots: list[dict[str, Any]] = self._json("GET", "/slots", options={"all": "true"})
        return slots

    def html(self) -> str:
        """The report as one page of HTML, which loads nothing."""
        return self._send("GET", "/report").decode()

    def export(self) -> dict[str, Any]:
        """Everything as one document."""
        document: dict[str, Any] = self._json("GET", "/export")
        return document

    def to_csv(self, path: Any = None) -> str | None:
        """The measurements, one line a slot: to a file, or as text without one."""
        content = self._send("GET", "/export", options={"format": "csv"})
        if path is None:
            return content.decode()
        write(path, content)
        return None

    def log(self) -> list[dict[str, Any]]:
        """Every event with its content and its seal."""
        events: list[dict[str, Any]] = []
        while True:
            after = events[-1]["event"] if events else 0
            more = self._json("GET", "/events", options={"after": after})["events"]
            if not more:
                return events
            events.extend(more)

    def verify(self) -> dict[str, Any]:
        """Checks the file, every seal and every attached table, and replays every round."""
        found: dict[str, Any] = self._json("GET", "/verify")
        return found

    def __repr__(self) -> str:
        return f"RemoteCampaign({self._url!r})"

    def _repr_html_(self) -> str:
        return self.status()._repr_html_()


def _reading(kind: str, numbers: list[float]) -> Any:
    if kind == "error":
        return {"value": numbers[0], "standard_error": numbers[1]}
    return numbers if kind == "repeats" else numbers[0]


def _line(slot: str, outcome: str, told: tuple[str, list[float]]) -> dict[str, Any]:
    kind, numbers = told
    return {"slot": slot, **({outcome: _reading(kind, numbers)} if numbers else {"status": kind})}


def _told(document: dict[str, Any]) -> Told:
    return Told(**{name: value for name, value in document.items() if name in Told.__dataclass_fields__})


def _refusal(refused: urllib.error.HTTPError) -> exceptions.ElfvingError:
    """The exception that the same refusal is on a file."""
    try:
        document = json.loads(refused.read())
        code, detail, help = str(document["code"]), str(document["detail"]), document.get("help")
    except (ValueError, KeyError, TypeError):
        return exceptions.ElfvingError(f"the server answered {refused.code} {refused.reason}")
    message = f"error[{code}]: {detail}" + (f"\n  help: {help}" if help else "")
    known = _BY_CODE.get(code) or _BY_KIND.get(code[1:2], exceptions.ElfvingError)
    return known(message)
