"""How reliable the outlook of calibrated campaigns is, on tables whose truth is known: what it said against what happened.

    cargo xtask peers reliability --tables DIR [--campaigns 20] [--results FILE ..]

DIR holds a folder for each table, at any depth: ``card.json`` beside ``pool.csv``, ``truth.csv`` and ``observations.csv`` (as for
``cargo xtask peers campaigns``), or beside ``table.csv`` with one outcome. Two tables of functions drawn from the model's prior are
added. Campaigns go to ``target/reliability``; with --results nothing is run, and those files are read. Plain Python, no packages.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

# Measurements at a time, and in all.
PLANS = [(24, 192), (10, 200)]
PRIOR = ["prior-2", "prior-5"]
STATED = [50, 80, 90, 95]


def tables(folder: Path, out: Path) -> list[Path]:
    """Every table with one measured outcome, large is good: id, features, outcome; repeats beside it."""
    found = []
    for card_file in sorted(folder.rglob("card.json")):
        card, here = json.loads(card_file.read_text()), card_file.parent
        if (here / "table.csv").exists() and len(card.get("outcomes", [])) == 1:
            outcome, sign = card["outcomes"][0]["name"], 1 if card["default_goal"].startswith("max") else -1
            rows = list(csv.DictReader(open(here / "table.csv")))
            features = [name for name in rows[0] if name not in ("id", outcome)]
            groups: dict[tuple[str, ...], list[float]] = {}
            for row in rows:
                groups.setdefault(tuple(row[name] for name in features), []).append(sign * float(row[outcome]))
            lines = [[f"R{k}", *cells, sum(ys) / len(ys)] for k, (cells, ys) in enumerate(groups.items())]
            repeats = None
        elif (here / "observations.csv").exists() and card.get("split") == "shared":
            sign = 1 if card["direction"] == "max" else -1
            pool = list(csv.reader(open(here / "pool.csv")))
            truth = {row["id"]: sign * float(row["mu"]) for row in csv.DictReader(open(here / "truth.csv"))}
            measured = defaultdict(list)
            for row in csv.DictReader(open(here / "observations.csv")):
                measured[row["id"]].append(sign * float(row["y"]))
            features, lines = pool[0][1:], [[*row, truth[row[0]]] for row in pool[1:]]
            repeats = [measured[row[0]] for row in pool[1:]] if card["noise"]["kind"] == "resample" else None
        else:
            continue
        path = out / f"{card['name']}.csv"
        with open(path, "w", newline="") as file:
            csv.writer(file).writerows([["id", *features, "outcome"], *lines])
        if repeats:
            path.with_suffix(".repeats").write_text("".join(" ".join(map(str, ys)) + "\n" for ys in repeats))
        found.append(path)
    return found


def read(files: list[Path]) -> dict[tuple[str, int, int], list[dict[str, float]]]:
    """The lines of each campaign, in the order of its measurements, with what happened next."""
    campaigns = defaultdict(list)
    for file in files:
        for row in csv.DictReader(open(file)):
            numbers = {name: float(cell) for name, cell in row.items() if name != "table"}
            campaigns[row["table"], int(numbers["batch"]), int(numbers["seed"])].append(numbers)
    for lines in campaigns.values():
        lines.sort(key=lambda line: line["measured"])
        last = lines[-1]["measured"]
        for k, line in enumerate(lines):
            line["stage"] = min(2, int(3 * (line["measured"] - 1) / last))
            if k + 1 < len(lines):
                line["gained"] = lines[k + 1]["true_value"] - line["true_value"]
            if k + 3 < len(lines):
                line["gained_ahead"] = lines[k + 3]["true_value"] - line["true_value"]
    return campaigns


def mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else math.nan


def percent(values: list[bool]) -> float:
    return 100 * mean([float(value) for value in values])


def held(line: dict[str, float], share: int, factor: float) -> bool:
    return line["true_loss"] <= factor * line[f"q{share}"] + 1e-9 * line["range"]


def factor_of(lines: list[dict[str, float]]) -> float:
    """The least factor with which 90 and 95 % held on a table, up to 5 points."""
    needed = 0.0
    for share in (90, 95):
        zero = 1e-9 * lines[0]["range"]
        ratios = sorted((line["true_loss"] - zero) / max(line[f"q{share}"], 1e-3 * zero) for line in lines)
        needed = max(needed, ratios[math.ceil((share - 5) / 100 * len(ratios)) - 1])
    return needed


def least_factor(by_table: dict[str, list[dict[str, float]]], without: str | None = None) -> float:
    """The least factor, of one decimal, for every table but one."""
    return max(1.0, math.ceil(10 * max(factor_of(lines) for name, lines in by_table.items() if name != without)) / 10)


def table_of(head: list[str], lines: list[list[str]]) -> None:
    for cells in [head, ["---"] * len(head), *lines]:
        print("| " + " | ".join(cells) + " |")
    print()


def gain_page(by_table: dict[str, list[dict[str, float]]]) -> None:
    print("Gain of the next batch: stated nine in ten below the upper end, nine in ten above the lower end (all | early | middle | late).\n")
    lines, below, above = [], [], []
    for name, all_lines in by_table.items():
        stages = [[line for line in all_lines if "gained" in line and (s is None or line["stage"] == s)] for s in (None, 0, 1, 2)]
        slack = 1e-9
        at_most = [percent([x["gained"] <= x["gain_upper"] + slack * x["range"] for x in part]) for part in stages]
        at_least = [percent([x["gained"] >= x["gain_lower"] - slack * x["range"] for x in part]) for part in stages]
        ahead = percent([x["gained_ahead"] <= x["gain_ahead_upper"] + slack * x["range"] for x in all_lines if "gained_ahead" in x])
        stated = [100 * mean([x["gain"] / x["range"] for x in part]) for part in stages]
        true = [100 * mean([x["gained"] / x["range"] for x in part]) for part in stages]
        below.append(at_most[0])
        above.append(at_least[0])
        lines.append([
            name,
            " / ".join(f"{x:.0f}" for x in at_most),
            " / ".join(f"{x:.0f}" for x in at_least),
            f"{ahead:.0f}",
            " / ".join(f"{x:.1f}" for x in stated[1:]),
            " / ".join(f"{x:.1f}" for x in true[1:]),
        ])
    lines.append(["mean", f"{mean(below):.0f}", f"{mean(above):.0f}", "", "", ""])
    table_of(["table", "below the upper end, %", "above the lower end, %", "three batches below, %", "mean gain stated, % of range", "mean gain realised"], lines)
    pooled = sorted((x for part in by_table.values() for x in part if "gained" in x), key=lambda x: x["gain"] / x["range"])
    print("Five bins of the stated mean gain, all tables, % of the range:\n")
    fifths = [pooled[k * len(pooled) // 5 : (k + 1) * len(pooled) // 5] for k in range(5)]
    table_of(["bin", *"12345"], [
        ["stated", *(f"{100 * mean([x['gain'] / x['range'] for x in part]):.2f}" for part in fifths)],
        ["realised", *(f"{100 * mean([x['gained'] / x['range'] for x in part]):.2f}" for part in fifths)],
    ])


def loss_page(by_table: dict[str, list[dict[str, float]]]) -> None:
    print(f"Loss at most, share that held in % (stated {STATED}), as drawn and with the factor learned on the other tables:\n")
    lines = []
    totals = defaultdict(list)
    for name, part in by_table.items():
        factor = least_factor(by_table, without=name)
        raw = [percent([held(x, share, 1) for x in part]) for share in STATED]
        corrected = [percent([held(x, share, factor) for x in part]) for share in STATED]
        for share, a, b in zip(STATED, raw, corrected):
            totals[share, 0].append(a)
            totals[share, 1].append(b)
        bound = mean([100 * factor * x["q90"] / x["range"] for x in part])
        lines.append([name, " / ".join(f"{x:.0f}" for x in raw), f"{factor:.1f}", " / ".join(f"{x:.0f}" for x in corrected),
                      f"{bound:.1f}", f"{mean([100 * x['true_loss'] / x['range'] for x in part]):.1f}"])
    lines.append(["mean", " / ".join(f"{mean(totals[s, 0]):.0f}" for s in STATED), f"{least_factor(by_table):.1f}",
                  " / ".join(f"{mean(totals[s, 1]):.0f}" for s in STATED), "", ""])
    table_of(["table", "as drawn", "factor", "corrected", "mean bound at 90 %, % of range", "mean loss"], lines)


def stop_page(campaigns, batch: int) -> None:
    print("Stopping when nine in ten gain less than a share of the range of the outcomes, alone and three batches together: measurements, loss in % of the range, campaigns more than 5 % off:\n")
    names = list(dict.fromkeys(name for name, size, _ in campaigns if size == batch))
    lines = []
    for name in names:
        runs = [run for (table, size, _), run in campaigns.items() if table == name and size == batch]
        cells = [name]
        for share in (0.01, 0.02, 0.05):
            def stops(line):
                worth = share * line["seen"]
                return line["gain_upper"] < worth and line["gain_ahead_upper"] < 3 * worth
            ends = [next((line for line in run if stops(line)), run[-1]) for run in runs]
            cells.append(account(ends))
        cells.append(account([run[-1] for run in runs]))
        lines.append(cells)
    table_of(["table", "1 %", "2 %", "5 %", "fixed budget"], lines)


def epsilon_page(campaigns, batch: int) -> None:
    print("Stopping when nine draws of ten have the loss, and the gains of one and of three batches, within epsilon (in % of the range): campaigns that stopped before the budget, measurements, and of those stopped the share more than epsilon off:\n")
    names = list(dict.fromkeys(name for name, size, _ in campaigns if size == batch))
    lines = []
    for name in names:
        runs = [run for (table, size, _), run in campaigns.items() if table == name and size == batch]
        cells = [name]
        for epsilon in (0.02, 0.05, 0.1):
            numbers = ("q90", "gain_upper", "gain_ahead_upper")
            ends = [next((x for x in run[:-1] if all(x[n] <= epsilon * x["range"] for n in numbers)), None) for run in runs]
            stopped = [x for x in ends if x is not None]
            off = percent([x["true_loss"] > epsilon * x["range"] for x in stopped])
            used = mean([x["measured"] for x in stopped])
            cells.append(f"{len(stopped)} of {len(runs)}" + (f", {used:.0f}, {off:.0f} %" if stopped else ""))
        lines.append(cells)
    table_of(["table", "2 %", "5 %", "10 %"], lines)


def account(ends) -> str:
    used, loss = mean([x["measured"] for x in ends]), mean([100 * x["true_loss"] / x["range"] for x in ends])
    return f"{used:.0f}, {loss:.1f}, {percent([x['true_loss'] > 0.05 * x['range'] for x in ends]):.0f} %"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--tables", type=Path)
    parser.add_argument("--campaigns", type=int, default=20)
    parser.add_argument("--strategy", default="auto")
    parser.add_argument("--results", type=Path, nargs="+")
    given = parser.parse_args()
    files = given.results
    if files is None:
        if given.tables is None:
            sys.exit("say where the tables are: --tables DIR")
        given.out.mkdir(parents=True, exist_ok=True)
        sources = [str(path) for path in tables(given.tables, given.out)] + PRIOR
        files = []
        for batch, budget in PLANS:
            file = given.out / f"campaigns-{batch}.csv"
            command = [str(given.program), given.strategy, str(given.campaigns), str(batch), str(budget), *sources]
            with open(file, "w") as out:
                subprocess.run(command, stdout=out, check=True)
            files.append(file)
    campaigns = read(files)
    for batch in sorted({size for _, size, _ in campaigns}, reverse=True):
        by_table = defaultdict(list)
        for (name, size, _), lines in campaigns.items():
            if size == batch:
                by_table[name].extend(lines)
        runs = sum(size == batch for _, size, _ in campaigns)
        print(f"## Batches of {batch}: {runs} campaigns on {len(by_table)} tables\n")
        gain_page(by_table)
        loss_page(by_table)
        stop_page(campaigns, batch)
        epsilon_page(campaigns, batch)


if __name__ == "__main__":
    main()
