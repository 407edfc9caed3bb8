"""The paper's first experiment in numpy and scipy beside `elfving reproduce g-optimal`; prints a markdown table.

    cargo xtask peers experiment [--repeats N]

Same pool law, budgets and methods: mirror descent for the design, then RIPS (Catoni's mean for every point by a vectorised Newton iteration,
theta-hat by HiGHS), IPS, least squares on the draws, regret minimisation with six step sizes, and Caratheodory with the ceiling. The numpy
program is what a researcher would write: vectorised over points and directions, a loop over steps, budgets and repetitions.
"""

import argparse
import json
import subprocess
import tempfile
import time

import numpy as np
from scipy.optimize import linprog

from rounding import shift

DIMENSION, POINTS, DELTA = 50, 1275, 0.05
BUDGETS = [25, 50, 75, 100, 150, 200, 300, 400, 800, 1400, 2000, 3000]
MIRROR_STEPS = 400
STEP_SIZES = [1, 2, 4, 8, 16, 32]


def make_pool(random):
    points = random.normal(size=(POINTS, DIMENSION))
    points[:, -10:] *= np.sqrt(0.1)
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def mirror_descent(points):
    """The average of the iterates, later ones counting more."""
    weights = np.full(POINTS, 1.0 / POINTS)
    average, total = np.zeros(POINTS), 0.0
    for t in range(1, MIRROR_STEPS + 1):
        solved = np.linalg.solve((points * weights[:, None]).T @ points, points.T)
        worst = np.argmax(np.einsum("ij,ji->i", points, solved))
        gradient = (points @ solved[:, worst]) ** 2
        weights = weights * np.exp(3.0 / np.sqrt(t) * gradient / gradient.max())
        weights /= weights.sum()
        average, total = average + t * weights, total + t
    return average / total


def catoni(samples, bounds, log_term):
    """Roots of sum psi(alpha (x - m)) = 0, one per row of samples, by Newton's method kept inside the range."""
    n = samples.shape[1]
    alpha = np.sqrt(2 * log_term / (n * bounds * (1 + 2 * log_term / (n - 2 * log_term))))[:, None]
    low, high = samples.min(axis=1), samples.max(axis=1)
    means = samples.mean(axis=1)
    for _ in range(50):
        u = alpha * (samples - means[:, None])
        size = np.abs(u)
        value = (np.sign(u) * np.log1p(size + u * u / 2)).sum(axis=1)
        slope = (alpha * (1 + size) / (1 + size + u * u / 2)).sum(axis=1)
        low, high = np.where(value > 0, means, low), np.where(value < 0, means, high)
        moved = means + value / slope
        outside = (moved < low) | (moved > high)
        moved = np.where(outside, (low + high) / 2, moved)
        if np.abs(moved - means).max() < 1e-10:
            return moved
        means = moved
    return means


def minimax_fit(points, values, norms):
    rows = points / norms[:, None]
    targets = values / norms
    ones = np.ones((len(rows), 1))
    upper = np.vstack([np.hstack([rows, -ones]), np.hstack([-rows, -ones])])
    cost = np.zeros(DIMENSION + 1)
    cost[-1] = 1.0
    found = linprog(cost, A_ub=upper, b_ub=np.concatenate([targets, -targets]), bounds=(None, None), method="highs")
    return found.x[:-1]


def regret_minimisation(points, weights, budget):
    """Counts for each step size, the best by the largest variance."""
    values, vectors = np.linalg.eigh((points * weights[:, None]).T @ points)
    whitened = points @ (vectors / np.sqrt(budget * values))
    best = None
    for factor in STEP_SIZES:
        alpha = factor * np.sqrt(DIMENSION)
        z = np.zeros((DIMENSION, DIMENSION))
        counts = np.zeros(POINTS, dtype=int)
        for _ in range(budget):
            values, vectors = np.linalg.eigh(z)
            diagonal = shift(alpha * values) + alpha * values
            squares = (whitened @ vectors) ** 2
            scores = (squares @ (1 / diagonal**2)) / (1 + alpha * (squares @ (1 / diagonal)))
            pick = int(np.argmax(scores))
            counts[pick] += 1
            z += np.outer(whitened[pick], whitened[pick])
        information = (points * counts[:, None]).T @ points
        if np.linalg.matrix_rank(information) < DIMENSION:
            continue
        variance = np.einsum("ij,ji->i", points, np.linalg.solve(information, points.T)).max()
        if best is None or variance < best[0]:
            best = (variance, counts)
    return None if best is None else best[1]


def numpy_experiment(repeats, seed):
    random = np.random.default_rng(seed)
    points = make_pool(random)
    theta = np.full(DIMENSION, 1 / np.sqrt(DIMENSION))
    means = points @ theta
    weights = mirror_descent(points)
    allocations = {budget: regret_minimisation(points, weights, budget) for budget in BUDGETS if budget >= DIMENSION}
    solved = np.linalg.solve((points * weights[:, None]).T @ points, points.T)
    leverage = points @ solved
    norms = np.sqrt(np.diag(leverage))
    log_term = np.log(2 * POINTS / DELTA)
    bounds = (np.abs(means).max() ** 2 + 1.0) * norms**2
    errors = {}

    def record(method, budget, predictions):
        errors.setdefault((method, budget), []).append(np.abs(predictions - means).max())

    def least_squares(method, budget, chosen):
        if np.linalg.matrix_rank(points[chosen]) == DIMENSION:
            outcomes = means[chosen] + random.normal(size=len(chosen))
            record(method, budget, points @ np.linalg.lstsq(points[chosen], outcomes, rcond=None)[0])

    for _ in range(repeats):
        for budget in BUDGETS:
            drawn = random.choice(POINTS, size=budget, p=weights)
            outcomes = means[drawn] + random.normal(size=budget)
            samples = leverage[:, drawn] * outcomes
            robust = catoni(samples, bounds, log_term)
            record("RIPS, W alone", budget, robust)
            record("RIPS", budget, points @ minimax_fit(points, robust, norms))
            record("IPS", budget, samples.mean(axis=1))
            least_squares("LS sampling", budget, drawn)
            if allocations.get(budget) is not None:
                least_squares("LS RegSel", budget, np.repeat(np.arange(POINTS), allocations[budget]))
            if budget > POINTS:
                counts = np.ceil((budget - POINTS) * weights).astype(int)
                least_squares("LS Caratheodory", budget, np.repeat(np.arange(POINTS), counts))
    return {key: float(np.mean(values)) for key, values in errors.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--elfving", required=True)
    parser.add_argument("--repeats", type=int, default=16)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        command = [options.elfving, "reproduce", "g-optimal", "--repetitions", str(options.repeats), "--out", folder, "--json"]
        started = time.perf_counter()
        findings = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        ours = time.perf_counter() - started
    started = time.perf_counter()
    theirs_errors = numpy_experiment(options.repeats, 0)
    theirs = time.perf_counter() - started
    curves = {curve["method"]: curve for curve in findings["experiments"][0]["panels"][0]["curves"]}
    print(f"| {options.repeats} repetitions | elfving | numpy + scipy |\n|---|---|---|")
    print(f"| seconds | {ours:.1f} | {theirs:.1f} ({theirs / ours:.0f} times) |")
    for method in ("RIPS", "IPS", "LS RegSel", "LS sampling"):
        curve = curves[method]
        mean = curve["y"][curve["x"].index(400.0)]["mean"]
        print(f"| largest error at T = 400, {method} | {mean:.3f} | {theirs_errors[(method, 400)]:.3f} |")


if __name__ == "__main__":
    main()
