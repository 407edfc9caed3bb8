"""The paper's solver in numpy: entropic mirror descent on max_v q_v, with the subgradient -P_{x vbar}^2.

    python mirror.py RESULT.json --target VALUE --limit SECONDS     time until the value is at most VALUE
    python mirror.py RESULT.json --probe                            time of fifty steps, to choose the BLAS threads

The kernel enters through features of the numerical rank, so a step costs n r^2 and not n^3. Step sizes are searched:
eta / (max g sqrt(t)) and eta / max g. Two answers are timed, each with its own best step: the best iterate, and the
average of the iterates with weights t, looked at every 25 steps.
"""

import argparse
import json
import time

import numpy as np
from scipy.linalg import solve_triangular

import pools
from check import rbf

LENGTHSCALE, GAMMA = 0.025, 0.005
STEPS = {"decreasing": (0.5, 1.0, 2.0, 3.0, 4.0, 6.0), "constant": (0.03, 0.1, 0.2)}


def features():
    points = pools.paper_rbf()
    eigenvalues, vectors = np.linalg.eigh(rbf(points, points, LENGTHSCALE))
    kept = eigenvalues > 1e-12 * eigenvalues.max()
    return np.ascontiguousarray(vectors[:, kept] * np.sqrt(eigenvalues[kept]))


def whitened(phi, weights):
    """L^-1 phi' with L L' = M, so that q are the squared norms of the columns and P the inner products."""
    information = (phi * weights[:, None]).T @ phi
    information[np.diag_indices(phi.shape[1])] += GAMMA
    return solve_triangular(np.linalg.cholesky(information), phi.T, lower=True, check_finite=False)


def squared_norms(half):
    return np.einsum("ij,ij->j", half, half)


def descend(phi, rule, eta, averaged, target, seconds):
    """Runs until the value is at most the target; gives the time, the steps and the weights, or None at the limit."""
    n = len(phi)
    weights, total, mass = np.full(n, 1.0 / n), np.zeros(n), 0.0
    started = time.perf_counter()
    step = 0
    while True:
        step += 1
        half = whitened(phi, weights)
        q = squared_norms(half)
        worst = q.argmax()
        elapsed = time.perf_counter() - started
        if not averaged and q[worst] <= target:
            return {"seconds": elapsed, "steps": step, "weights": weights.tolist()}
        if elapsed > seconds:
            return None
        if averaged:
            total += step * weights
            mass += step
            if step % 25 == 0 and squared_norms(whitened(phi, total / mass)).max() <= target:
                seconds = time.perf_counter() - started
                return {"seconds": seconds, "steps": step, "weights": (total / mass).tolist()}
        gradient = (half.T @ half[:, worst]) ** 2
        size = eta / gradient.max()
        if rule == "decreasing":
            size /= np.sqrt(step)
        exponent = np.log(weights) + size * gradient
        weights = np.exp(exponent - exponent.max())
        weights /= weights.sum()


def fastest(phi, averaged, target, limit):
    """The quickest of all step sizes; a run that is slower than the best so far is stopped."""
    best = None
    for rule, etas in STEPS.items():
        for eta in etas:
            allowed = limit if best is None else min(limit, best["seconds"])
            found = descend(phi, rule, eta, averaged, target, allowed)
            if found is not None and (best is None or found["seconds"] < best["seconds"]):
                best = {**found, "rule": rule, "eta": eta}
    return best


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("result")
    parser.add_argument("--probe", action="store_true")
    parser.add_argument("--target", type=float)
    parser.add_argument("--limit", type=float)
    options = parser.parse_args()
    phi = features()
    if options.probe:
        started = time.perf_counter()
        for _ in range(50):
            whitened(phi, np.full(len(phi), 1.0 / len(phi)))
        answer = {"seconds": time.perf_counter() - started}
    else:
        answer = {
            "best iterate": fastest(phi, False, options.target, options.limit),
            "average": fastest(phi, True, options.target, options.limit),
        }
    with open(options.result, "w") as file:
        json.dump(answer, file)


if __name__ == "__main__":
    main()
