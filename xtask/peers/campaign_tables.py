"""Tables with a known truth, and the outcomes of their measurements: the same for everybody who asks with the same seed.

A folder holds `pool.csv` (the table as its user has it), `features.csv` (numbers, encoded), `observations.csv` (id, repeat, y),
`truth.csv` (id, mean) and `card.json` (direction, noise). Large outcomes are good here: small ones are negated.
"""

import csv
import json
import math

import numpy as np


class Table:
    def __init__(self, folder):
        self.folder = folder
        self.card = json.loads((folder / "card.json").read_text())
        self.name = self.card["name"]
        self.sign = -1.0 if self.card["direction"] == "min" else 1.0
        pool = rows_of(folder / "pool.csv")
        self.ids = [row["id"] for row in pool]
        place = {name: k for k, name in enumerate(self.ids)}
        self.truth = np.empty(len(pool))
        for row in rows_of(folder / "truth.csv"):
            self.truth[place[row["id"]]] = self.sign * float(row["mu"])
        self.records = [[] for _ in pool]
        self.counts = {}
        for row in rows_of(folder / "observations.csv"):
            self.records[place[row["id"]]].append(self.sign * float(row["y"]))
            if "count_input" in row:
                self.counts[place[row["id"]]] = (float(row["count_input"]), float(row["count_selected"]))
        features = [[float(x) for name, x in row.items() if name != "id"] for row in rows_of(folder / "features.csv")]
        features = np.array(features)
        span = features.max(axis=0) - features.min(axis=0)
        self.features = (features - features.min(axis=0))[:, span > 0] / span[span > 0]
        self.points = [k for k, row in enumerate(pool) if row.get("in_X", "1") == "1"]
        self.choices = [k for k, row in enumerate(pool) if row.get("in_Z", "1") == "1"]
        # The columns of the user that the encoded features are made of: as they are, on a log scale, or as categories.
        encoded = rows_of(folder / "features.csv")[0]
        self.columns, self.logs = {}, []
        for name in pool[0]:
            cells = [row[name] for row in pool]
            if name == "id":
                continue
            if name in encoded:
                self.columns[name] = [float(cell) for cell in cells]
            elif f"log2_{name}" in encoded:
                self.columns[name] = [math.log2(float(cell)) for cell in cells]
                self.logs.append(name)
            elif any(feature.startswith(f"{name}=") for feature in encoded):
                self.columns[name] = cells

    @property
    def transductive(self):
        return self.points != self.choices

    @property
    def gaps(self):
        """How far below the best choice each row is; for rows that are no choices it means nothing."""
        return self.truth[self.choices].max() - self.truth

    @property
    def losses(self):
        """How far below the best point each row is: what measuring it costs."""
        return self.truth[self.points].max() - self.truth

    @property
    def span(self):
        return np.ptp(self.truth[self.choices])

    def top(self, share):
        """The gap of the choice at the end of the best `share`."""
        gaps = np.sort(self.gaps[self.choices])
        return gaps[max(1, math.ceil(share * len(gaps))) - 1]

    def measure(self, row, times, seed):
        """Outcome number `times` (from 0) of a row: depends on nothing else."""
        random = np.random.default_rng([seed, row, times])
        noise = self.card["noise"]
        if noise["kind"] == "resample":
            record = self.records[row]
            return record[int(random.integers(len(record)))]
        if noise["kind"] == "gaussian":
            return float(self.truth[row] + noise["sd"] * random.standard_normal())
        if noise["kind"] == "poisson_counts":
            before, after = (random.poisson(count) for count in self.counts[row])
            return float(self.sign * (math.log((after + 0.5) / (before + 0.5)) - noise["log_wt_ratio"]))
        raise SystemExit(f"{self.folder}: unknown noise {noise['kind']!r}")

    def first_batch(self, batch, seed):
        """Different points at random, the same for everybody."""
        random = np.random.default_rng([seed, 1])
        return [self.points[k] for k in random.choice(len(self.points), batch, replace=False)]


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def tables_in(folder, names=None):
    found = sorted(path.parent for path in folder.glob("*/card.json"))
    return [Table(path) for path in found if names is None or path.name in names]
