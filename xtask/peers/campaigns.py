"""Whole campaigns on tables with a known truth: Elfving beside the optimisation libraries people use, the same seeds and noise.

    cargo xtask peers campaigns --tables DIR [--seeds 20] [--only NAME,..] [--table NAME,..] [--results FILE]

DIR holds one folder a table (see campaign_tables.py). Every algorithm starts from the same ten points, measures `--batch` at a time
and `--pulls` in all, is fitted anew after every batch, and gets the same outcome for the k-th measurement of a row. Every
campaign is a process of its own, on one thread. Finished campaigns are lines of the `--results` and not run again; several
commands may share the file. Prints a markdown table a table.
"""

import argparse
import csv
import json
import math
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ[variable] = "1"

# Freed memory is kept (glibc): tensors of megabytes are made and thrown away all the time, and fresh pages are dear. A third less CPU time.
os.environ |= {"MALLOC_MMAP_THRESHOLD_": "4000000000", "MALLOC_TRIM_THRESHOLD_": "8000000000", "MALLOC_TOP_PAD_": "67108864"}

from campaign_peers import PEERS
from campaign_tables import Table, tables_in

ELFVING = ["calibrated"]


class Elfving:
    """The program in a process of its own: a line with outcomes in, a line with the pick and the next batch out."""

    def __init__(self, program, algorithm, table, seed, batch, pulls):
        command = [program, "--pool", table.folder / "pool.csv", "--algorithm", algorithm, "--columns", ",".join(table.columns)]
        command += ["--logs", ",".join(table.logs), "--batch", str(batch), "--budget", str(pulls), "--seed", str(seed)]
        if table.transductive:
            command += ["--points", "in_X", "--choices", "in_Z"]
        self.table = table
        self.process = subprocess.Popen([str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def take(self, rows, outcomes):
        self.process.stdin.write(json.dumps([[row, outcome] for row, outcome in zip(rows, outcomes)]) + "\n")
        self.process.stdin.flush()
        self.answer = json.loads(self.process.stdout.readline())

    def next(self):
        return self.answer["next"]

    def pick(self):
        return self.answer["pick"]

    def coverage(self):
        """The share of the intervals reported last, those of the pick and its rivals, that hold the truth."""
        intervals = self.answer["intervals"]
        return sum(lower <= self.table.truth[row] <= upper for row, lower, upper in intervals) / len(intervals)

    def close(self):
        """CPU seconds and peak memory in MB of the whole process."""
        self.process.stdin.close()
        _, status, usage = os.wait4(self.process.pid, 0)
        if status != 0:
            raise SystemExit(f"Elfving ended with {status}")
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def campaign(table, algorithm, seed, options):
    """One campaign, in this process; what it did, batch by batch."""
    ours = algorithm.startswith("calibrated")
    batches = math.ceil(options.pulls / options.batch)
    if ours:
        player = Elfving(options.elfving, algorithm, table, seed, options.batch, options.pulls)
    else:
        player = PEERS[algorithm](table, seed, options.batch)
    times, measured, picks, seconds = {}, [], [], []
    rows = table.first_batch(options.batch, seed)
    for number in range(batches):
        outcomes = []
        for row in rows:
            outcomes.append(table.measure(row, times.get(row, 0), seed))
            times[row] = times.get(row, 0) + 1
        measured += rows
        started = time.process_time()
        player.take(rows, outcomes)
        if number + 1 < batches:
            rows = player.next()
        picks.append(player.pick())
        seconds.append(time.process_time() - started)
    if ours:
        cpu, memory = player.close()
    else:
        cpu, memory = sum(seconds), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    costs = {"cpu": cpu / batches, "memory": memory, "coverage": player.coverage() if ours else None}
    return summary(table, measured, picks, options.batch) | costs


def summary(table, measured, picks, batch):
    """What a campaign is judged by. An algorithm without a pick has no simple regret."""
    final = None if picks[-1] is None else float(table.gaps[picks[-1]])
    return {
        "simple_regret": final,
        "cumulative_regret": float(sum(table.losses[row] for row in measured)),
        "to_top_1": reached(table, picks, 0.01, batch),
        "to_top_5": reached(table, picks, 0.05, batch),
        "stuck": None if final is None else int(final > 0.1 * table.span),
    }


def reached(table, picks, share, batch):
    """Measurements until the pick is among the best `share` of the choices for the first time; the whole budget where it never is."""
    limit = table.top(share) * (1 + 1e-12)
    for number, pick in enumerate(picks):
        if pick is not None and table.gaps[pick] <= limit:
            return (number + 1) * batch
    return len(picks) * batch


def worker(options):
    table = Table(pathlib.Path(options.worker[0]))
    print(json.dumps(campaign(table, options.worker[1], int(options.worker[2]), options)))


MEASURES = ["simple_regret", "cumulative_regret", "to_top_1", "to_top_5", "stuck", "cpu", "memory", "coverage"]
COLUMNS = ["table", "algorithm", "seed", "pulls", "batch", *MEASURES]


def kept(options):
    """The finished campaigns of this size, by table, algorithm and seed."""
    if not options.results.exists():
        return {}
    with open(options.results, newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if (row["pulls"], row["batch"]) == (str(options.pulls), str(options.batch))]
    numbers = [{name: float(row[name]) if row[name] else None for name in MEASURES} for row in rows]
    return {(row["table"], row["algorithm"], int(row["seed"])): run for row, run in zip(rows, numbers)}


def keep(table, algorithm, seed, run, options):
    """One more line, written at once: others may be writing too."""
    cells = [table.name, algorithm, seed, options.pulls, options.batch]
    cells += ["" if run[name] is None else f"{run[name]:.6g}" for name in MEASURES]
    with open(options.results, "a", encoding="utf-8") as file:
        if file.tell() == 0:
            file.write(",".join(COLUMNS) + "\n")
        file.write(",".join(str(cell) for cell in cells) + "\n")


def results(table, algorithm, seeds, options):
    """The campaigns of an algorithm, run where they are not kept already."""
    for seed in seeds:
        if options.report or (table.name, algorithm, seed) in kept(options):
            continue
        command = [sys.executable, __file__, "--worker", str(table.folder), algorithm, str(seed)]
        command += ["--pulls", str(options.pulls), "--batch", str(options.batch)]
        command += ["--elfving", str(options.elfving)]
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            last = done.stderr.strip().splitlines()[-1:] or ["no message"]
            print(f"{table.name}, {algorithm}, seed {seed}: {last[0]}", file=sys.stderr)
            break
        keep(table, algorithm, seed, json.loads(done.stdout), options)
    found = kept(options)
    return [found[table.name, algorithm, seed] for seed in seeds if (table.name, algorithm, seed) in found]


def mean_and_error(values):
    values = [float(value) for value in values]
    error = statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else float("nan")
    return statistics.fmean(values), error


def short(value):
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def with_error(values):
    mean, error = mean_and_error(values)
    return short(mean) if math.isnan(error) else f"{short(mean)} ({short(error)})"


def line(algorithm, runs):
    def of(name):
        return [run[name] for run in runs if run[name] is not None]

    cells = [algorithm, str(len(runs))]
    if of("simple_regret"):
        cells += [with_error(of(name)) for name in ("simple_regret", "cumulative_regret", "to_top_1", "to_top_5")]
        cells += [f"{100 * sum(of('stuck')) / len(runs):.0f} %"]
    else:
        cells += ["-", with_error(of("cumulative_regret")), "-", "-", "-"]
    cells += [with_error(of("cpu")), short(max(of("memory")))]
    cells += [f"{100 * mean_and_error(of('coverage'))[0]:.0f} %" if of("coverage") else ""]
    return "| " + " | ".join(cells) + " |"


HEADER = "| algorithm | campaigns | simple regret | cumulative regret | to top 1 % | to top 5 % | stuck | CPU s a batch | MB | coverage |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--elfving", help="the example campaign_peer, built with --release")
    parser.add_argument("--tables", type=pathlib.Path, help="the folder with one folder a table")
    parser.add_argument("--table", type=lambda text: text.split(","), help="only these")
    parser.add_argument("--only", type=lambda text: text.split(","), help="only these algorithms")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--pulls", type=int, default=200)
    parser.add_argument("--batch", type=int, default=10)
    parser.add_argument("--results", type=pathlib.Path, default=pathlib.Path("target/campaigns.csv"), help="finished campaigns")
    parser.add_argument("--report", action="store_true", help="print what is kept, run nothing")
    parser.add_argument("--worker", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        worker(options)
        return
    if options.tables is None:
        parser.error("--tables DIR says where the tables are")
    options.results.parent.mkdir(parents=True, exist_ok=True)
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    for table in tables_in(options.tables, options.table):
        print(f"\n### {table.name}: {len(table.points)} points, {len(table.choices)} choices\n\n{HEADER}")
        print("|" + "---|" * (HEADER.count("|") - 1), flush=True)
        for algorithm in options.only or [*ELFVING, *PEERS]:
            runs = results(table, algorithm, seeds, options)
            if runs:
                print(line(algorithm, runs), flush=True)


if __name__ == "__main__":
    main()
