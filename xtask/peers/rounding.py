"""Regret minimisation as a plain numpy loop beside Elfving's, interleaved in one run; prints a markdown table.

    cargo xtask peers rounding [--budgets 500,1000,2000] [--rounds N]

The pool is the paper's first one (1275 x 50), the weights are uniform, alpha = 4 sqrt(50). Both make the same choices: the counts
are compared. The loop does what the formulas say: one eigendecomposition of Z a step, c by Newton's method on the
eigenvalues, one product over the points. It runs with the number of BLAS threads that is quicker here.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

import numpy as np

import pools

ALPHA = 4.0 * np.sqrt(50.0)
# Scores within this fraction of the best are ties, which the smallest index wins.
TIE = 1e-10


def regret_minimisation(points, budget, alpha):
    """Counts of `budget` measurements for uniform weights, and the smallest eigenvalue of what they add up to."""
    count, p = points.shape
    values, vectors = np.linalg.eigh(points.T @ points / count)
    whitened = points @ (vectors / np.sqrt(budget * values))
    z = np.zeros((p, p))
    counts = np.zeros(count, dtype=int)
    for _ in range(budget):
        values, vectors = np.linalg.eigh(z)
        diagonal = shift(alpha * values) + alpha * values
        squares = (whitened @ vectors) ** 2
        halves = squares @ (1.0 / diagonal)
        fulls = squares @ (1.0 / diagonal**2)
        scores = fulls / (1.0 + alpha * halves)
        pick = int(np.argmax(scores >= scores.max() * (1.0 - TIE)))
        counts[pick] += 1
        z += np.outer(whitened[pick], whitened[pick])
    return counts, np.linalg.eigvalsh(z)[0]


def shift(values):
    """c with sum (c + values)^-2 = 1: Newton's method on the concave (sum (c + values)^-2)^(-1/2)."""
    c = 1.0 - values[0]
    for _ in range(100):
        inverse = 1.0 / (c + values)
        square, cube = np.sum(inverse**2), np.sum(inverse**3)
        if abs(square - 1.0) <= 1e-12:
            break
        c -= square * (1.0 - np.sqrt(square)) / cube
    return c


def loop_here(budget):
    """Runs the loop in this process: the worker."""
    points = pools.paper_g()
    started = time.perf_counter()
    counts, smallest = regret_minimisation(points, budget, ALPHA)
    seconds = time.perf_counter() - started
    print(json.dumps({"seconds": seconds, "lambda_min": smallest, "counts": counts.tolist()}))


def answer(command, threads=None):
    environment = dict(os.environ)
    if threads is not None:
        environment.update({name: str(threads) for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")})
    process = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=environment)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}:\n{process.stderr}")
    return json.loads(process.stdout)


def compare(options):
    loop = [sys.executable, __file__, "--loop"]
    probes = {threads: answer([*loop, "100"], threads)["seconds"] for threads in {1, os.cpu_count() or 1}}
    threads = min(probes, key=probes.get)
    print("| T | numpy loop | Elfving | times faster | same counts | lambda_min |")
    print("|---|---|---|---|---|---|")
    for budget in options.budgets:
        runs = []
        for _ in range(options.rounds):
            theirs = answer([*loop, str(budget)], threads)
            ours = answer([options.program, str(budget), repr(float(ALPHA))])
            runs.append((theirs, ours))
        numpy_seconds, own_seconds = (statistics.median(run[k]["seconds"] for run in runs) for k in (0, 1))
        theirs, ours = runs[0]
        same = "yes" if theirs["counts"] == ours["counts"] else "no"
        if not np.isclose(theirs["lambda_min"], ours["lambda_min"], rtol=1e-6):
            raise SystemExit(f"T = {budget}: lambda_min is {theirs['lambda_min']} and {ours['lambda_min']}")
        ratio = statistics.median(run[0]["seconds"] / run[1]["seconds"] for run in runs)
        cells = [f"{numpy_seconds:.3f} s", f"{own_seconds:.3f} s", f"{ratio:.1f}", same, f"{ours['lambda_min']:.6f}"]
        print(f"| {budget} | {' | '.join(cells)} |", flush=True)
    print(f"\nMedians of {options.rounds} interleaved runs; numpy {np.__version__} with {threads} BLAS thread(s), the quicker here.")


def main():
    pools.verify()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", help="the example rounding_times, built with --release")
    parser.add_argument("--budgets", type=lambda text: [int(part) for part in text.split(",")], default=[500, 1000, 2000])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--loop", type=int, metavar="T", help="run the loop alone and print its answer")
    options = parser.parse_args()
    if options.loop is not None:
        loop_here(options.loop)
    else:
        compare(options)


if __name__ == "__main__":
    main()
