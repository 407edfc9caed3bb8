"""The paper's solver in numpy: entropic mirror descent on max_v q_v, with the subgradient -P_{x vbar}^2.

    python mirror.py RESULT.json --target VALUE --limit SECONDS     time until the value is at most VALUE
    python mirror.py RESULT.json --probe                            time of fifty steps, to choose the BLAS threads

Four answers are timed. In the kernel form of the paper's Lemma 1, a solve with the n x n kernel matrix a
step, with the textbook's step sqrt(2 log n) / (max g sqrt(t)). The same through features of the numerical rank, so that a
step costs n r^2 and not n^3. And with the best of many steps, eta / (max g sqrt(t)) and eta / max g, which nobody knows
beforehand: the best iterate, and the average of the iterates with weights t, looked at every 25 steps.
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


class Features:
    """q and P through features."""

    def __init__(self):
        self.phi = features()
        self.n = len(self.phi)

    def at(self, weights):
        self.half = whitened(self.phi, weights)
        return squared_norms(self.half)

    def column(self, v):
        return self.half.T @ self.half[:, v]


class KernelForm:
    """q and P by Lemma 1: P = (K - K R (R K R + gamma)^-1 R K) / gamma, with R the root of the weights."""

    def __init__(self):
        points = pools.paper_rbf()
        self.kernel = rbf(points, points, LENGTHSCALE)
        self.n = len(self.kernel)

    def at(self, weights):
        scaled = np.sqrt(weights)[:, None] * self.kernel
        inner = scaled * np.sqrt(weights)[None, :]
        inner[np.diag_indices(self.n)] += GAMMA
        self.half = solve_triangular(np.linalg.cholesky(inner), scaled, lower=True, check_finite=False)
        return (np.diagonal(self.kernel) - squared_norms(self.half)) / GAMMA

    def column(self, v):
        return (self.kernel[:, v] - self.half.T @ self.half[:, v]) / GAMMA


def squared_norms(half):
    return np.einsum("ij,ij->j", half, half)


def descend(form, rule, eta, averaged, target, seconds):
    """Runs until the value is at most the target; gives the time, the steps and the weights, or None at the limit."""
    n = form.n
    weights, total, mass = np.full(n, 1.0 / n), np.zeros(n), 0.0
    started = time.perf_counter()
    step = 0
    while True:
        step += 1
        q = form.at(weights)
        worst = q.argmax()
        elapsed = time.perf_counter() - started
        if not averaged and q[worst] <= target:
            return {"seconds": elapsed, "steps": step, "weights": weights.tolist()}
        if elapsed > seconds:
            return None
        gradient = form.column(worst) ** 2
        if averaged:
            total += step * weights
            mass += step
            if step % 25 == 0 and form.at(total / mass).max() <= target:
                seconds = time.perf_counter() - started
                return {"seconds": seconds, "steps": step, "weights": (total / mass).tolist()}
        size = eta / gradient.max()
        if rule == "decreasing":
            size /= np.sqrt(step)
        exponent = np.log(weights) + size * gradient
        weights = np.exp(exponent - exponent.max())
        weights /= weights.sum()


def textbook(form, target, limit):
    eta = np.sqrt(2.0 * np.log(form.n))
    found = descend(form, "decreasing", eta, False, target, limit)
    return found and {**found, "rule": "textbook", "eta": round(eta, 2)}


def fastest(form, averaged, target, limit):
    """The quickest of all step sizes; a run that is slower than the best so far is stopped."""
    best = None
    for rule, etas in STEPS.items():
        for eta in etas:
            allowed = limit if best is None else min(limit, best["seconds"])
            found = descend(form, rule, eta, averaged, target, allowed)
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
    form = Features()
    if options.probe:
        started = time.perf_counter()
        for _ in range(50):
            form.at(np.full(form.n, 1.0 / form.n))
        answer = {"seconds": time.perf_counter() - started}
    else:
        plain = textbook(form, options.target, options.limit)
        limit = plain["seconds"] if plain else options.limit
        answer = {
            "kernel form, textbook step": textbook(KernelForm(), options.target, options.limit),
            "through features, textbook step": plain,
            "through features, best of many steps": fastest(form, False, options.target, limit),
            "the same, average of the iterates": fastest(form, True, options.target, limit),
        }
    with open(options.result, "w") as file:
        json.dump(answer, file)


if __name__ == "__main__":
    main()
