"""Estimates beside numpy and scipy, interleaved in one run; prints a markdown table.

    cargo xtask peers estimate [--runs N] [--limit SECONDS]

fit: min over theta of max |<u, theta> - w| for 20,000 targets in 500 dimensions, to a certified relative gap of 1e-9, against
scipy's HiGHS on the same arrays, as primal and as dual, by simplex and by interior point; a run is stopped at the limit.
rips: W(v) by Catoni's mean for 10,000 directions of 10,000 draws (200 points in 50 dimensions), against vectorised numpy:
one product for the coefficients, then Newton steps on all directions in blocks that fit the cache.
Times are medians, without reading files. The answers are compared before anything is printed.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy.optimize import linprog

TARGETS, DIMENSION = 20_000, 500
DIRECTIONS, DRAWS, POINTS, FEATURES = 10_000, 10_000, 200, 50
SIGMA, BOUND, GAMMA, DELTA = 1.0, 1.0, 0.01, 0.05


def say(text):
    print(text, file=sys.stderr, flush=True)


def elfving(options, task, folder, columns):
    command = [options.elfving, task, str(folder), str(columns)]
    process = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}:\n{process.stderr}")
    return json.loads(process.stdout), np.fromfile(folder / "answer.bin", "<f8")


def timed(run):
    started = time.perf_counter()
    answer = run()
    return time.perf_counter() - started, answer


def highs(rows, values, form, method, limit):
    """The optimal level, or None when the limit came first."""
    m, d = rows.shape
    options = {"time_limit": limit}
    if form == "primal":
        ones = np.ones((m, 1))
        a, b = np.block([[rows, -ones], [-rows, -ones]]), np.concatenate([values, -values])
        cost = np.append(np.zeros(d), 1.0)
        free = [(None, None)] * d + [(0, None)]
        answer = linprog(cost, A_ub=a, b_ub=b, bounds=free, method=method, options=options)
        return answer.fun if answer.status == 0 else None
    a = np.vstack([np.hstack([rows.T, -rows.T]), np.ones((1, 2 * m))])
    b = np.append(np.zeros(d), 1.0)
    cost = np.concatenate([-values, values])
    answer = linprog(cost, A_eq=a, b_eq=b, bounds=(0, None), method=method, options=options)
    return -answer.fun if answer.status == 0 else None


def compare_fits(options, folder):
    random = np.random.default_rng(1)
    rows = random.standard_normal((TARGETS, DIMENSION))
    rows /= np.linalg.norm(rows, axis=1)[:, None]
    values = rows @ random.standard_normal(DIMENSION) + 0.1 * random.standard_t(2.5, size=TARGETS)
    rows.astype("<f8").tofile(folder / "rows.bin")
    values.astype("<f8").tofile(folder / "values.bin")
    own, table = [], []
    def run_own():
        report, theta = elfving(options, "fit", folder, DIMENSION)
        residual = np.abs(rows @ theta - values).max()
        assert abs(residual / report["residual"] - 1) < 1e-12 and report["relative_gap"] <= 1e-9, report
        own.append(report["seconds"])
        return report
    for form, method in [("dual", "highs-ipm"), ("primal", "highs-ipm"), ("dual", "highs-ds"), ("primal", "highs-ds")]:
        report = run_own()
        say(f"    HiGHS, {form}, {method} ...")
        seconds, level = timed(lambda: highs(rows, values, form, method, options.limit))
        if level is not None:
            assert abs(level / report["residual"] - 1) < 1e-6, (level, report)
        table.append((f"HiGHS {method[6:]}, {form}", seconds, level))
    for _ in range(options.runs):
        report = run_own()
    own_seconds = statistics.median(own)
    print(f"\nMin-max fit, {TARGETS} targets in {DIMENSION} dimensions\n")
    print("| solver | seconds | times Elfving | residual | certified gap |\n|---|---:|---:|---:|---:|")
    print(f"| Elfving | {own_seconds:.2f} | 1 | {report['residual']:.9f} | {report['relative_gap']:.1e} |")
    for name, seconds, level in table:
        mark, shown = ("", f"{level:.9f}") if level is not None else ("> ", "stopped")
        print(f"| {name} | {mark}{seconds:.1f} | {mark}{seconds / own_seconds:.0f} | {shown} | |")


def integer_weights(weights):
    """Weights as integers with sum 2^32, as draws store them."""
    integers = np.floor(weights / weights.sum() * 2**32).astype(np.int64)
    integers[0] += 2**32 - integers.sum()
    return integers


def influence(x):
    size = np.abs(x)
    return np.sign(x) * np.log1p(size + 0.5 * x * x), (1 + size) / (1 + size + 0.5 * x * x)


def numpy_rips(features, probabilities, rows, columns, outcomes):
    """Catoni's means of all directions: blocks of 64 directions, Newton on every block until it stands still."""
    information = (features.T * probabilities) @ features + GAMMA * np.eye(FEATURES)
    coefficients = rows @ np.linalg.solve(information, features.T)
    norms = np.einsum("ij,ij->i", rows, np.linalg.solve(information, rows.T).T)
    n, log_term = len(outcomes), np.log(2 * len(rows) / DELTA)
    alpha = np.sqrt(2 * log_term * (n - 2 * log_term)) / n / np.sqrt((BOUND**2 + SIGMA**2) * norms)
    means = np.empty(len(rows))
    for start in range(0, len(rows), 64):
        block = slice(start, start + 64)
        samples = coefficients[block][:, columns] * outcomes * alpha[block, None]
        centre = np.clip(samples, -1, 1).mean(axis=1)
        for _ in range(30):
            value, slope = influence(samples - centre[:, None])
            step = value.sum(axis=1) / slope.sum(axis=1)
            centre += step
            if np.abs(step).max() < 1e-7:  # quadratic: the next step would be below 1e-13
                break
        means[block] = centre / alpha[block]
    return means


def compare_rips(options, folder):
    random = np.random.default_rng(2)
    features = random.standard_normal((POINTS, FEATURES)) / np.sqrt(FEATURES)
    rows = random.standard_normal((DIRECTIONS, FEATURES)) / np.sqrt(FEATURES)
    integers = integer_weights(1 + random.random(POINTS))
    columns = random.choice(POINTS, size=DRAWS, p=integers / 2**32)
    outcomes = np.clip(features @ random.standard_normal(FEATURES), -1, 1)[columns]
    outcomes += SIGMA * random.standard_t(2.5, size=DRAWS) / np.sqrt(5)
    for name, array in [("features", features), ("rows", rows), ("outcomes", outcomes)]:
        array.astype("<f8").tofile(folder / f"{name}.bin")
    np.array([SIGMA, BOUND, GAMMA, DELTA]).astype("<f8").tofile(folder / "settings.bin")
    weights = [[int(i), int(weight)] for i, weight in enumerate(integers)]
    draws = {"points": [int(x) for x in columns], "seed": 0, "round": 0, "weights": weights}
    (folder / "draws.json").write_text(json.dumps(draws))
    own, peer = [], []
    for run in range(options.runs):
        report, means = elfving(options, "rips", folder, FEATURES)
        own.append(report["seconds"])
        say("    numpy ...")
        seconds, expected = timed(lambda: numpy_rips(features, integers / 2**32, rows, columns, outcomes))
        peer.append(seconds)
        apart = np.abs(means - expected).max() / np.abs(expected).max()
        assert apart < 1e-9, apart
    own_seconds, peer_seconds = statistics.median(own), statistics.median(peer)
    print(f"\nW(v), {DIRECTIONS} directions of {DRAWS} draws ({POINTS} points in {FEATURES} dimensions)\n")
    print("| program | seconds | times Elfving |\n|---|---:|---:|")
    print(f"| Elfving | {own_seconds:.3f} | 1 |\n| numpy, vectorised | {peer_seconds:.2f} | {peer_seconds / own_seconds:.1f} |")
    print(f"\nlargest difference of the estimates, relative: {apart:.1e}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--elfving", required=True, help="the estimate_peer example")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--limit", type=float, default=200.0)
    parser.add_argument("--only", choices=["fit", "rips"])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if options.only != "fit":
            say("W(v)")
            compare_rips(options, Path(folder))
        if options.only != "rips":
            say("min-max fit")
            compare_fits(options, Path(folder))


if __name__ == "__main__":
    main()
