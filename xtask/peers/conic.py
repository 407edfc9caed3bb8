"""One conic peer, in a process of its own, so that a time or memory limit ends it and nothing else.

    python conic.py PROBLEM.npz RESULT.json --solver CLARABEL|SCS --form blocks|cones \
        --limit SECONDS --memory GIGABYTES
"""

import argparse
import json
import resource
import time

import cvxpy as cp
import numpy as np

from check import pair_differences
from repeated import repeated


def determinant_problem(pool, gamma):
    """max log det(X' diag(l) X + gamma I), as the cvxpy manual writes it."""
    weights = cp.Variable(len(pool), nonneg=True)
    information = pool.T @ cp.diag(weights) @ pool + gamma * np.eye(pool.shape[1])
    return weights, cp.Problem(cp.Maximize(cp.log_det(information)), [cp.sum(weights) == 1])


def block_problem(pool, targets, gamma):
    """min t with one Schur complement [[M, v], [v', t]] >= 0 a target.

    M is a variable of its own, tied to the weights once: with the weights inside every block the constraint
    matrix would be n times larger.
    """
    d = pool.shape[1]
    weights = cp.Variable(len(pool), nonneg=True)
    information = cp.Variable((d, d), symmetric=True)
    bound = cp.Variable((1, 1))
    rows, columns = np.tril_indices(d)
    outer = (pool[:, rows] * pool[:, columns]).T
    constraints = [
        cp.sum(weights) == 1,
        information[rows, columns] == outer @ weights + gamma * (rows == columns),
    ]
    for target in targets:
        v = target.reshape(-1, 1)
        constraints.append(cp.bmat([[information, v], [v.T, bound]]) >> 0)
    return weights, cp.Problem(cp.Minimize(bound[0, 0]), constraints)


def cone_problem(pool, targets, gamma):
    """The same minimum as a second-order cone program (Sagnol 2011).

    v = sum_x h_x x + sqrt(gamma) h_0 with |h_0|^2 + sum_x h_x^2 / l_x <= t for every target v.
    """
    n, d = pool.shape
    m = len(targets)
    weights = cp.Variable(n)
    bound = cp.Variable()
    shares, costs = cp.Variable((m, n)), cp.Variable((m, n))
    ridge_shares, ridge_costs = cp.Variable((m, d)), cp.Variable(m)
    spread = np.ones((m, 1)) @ cp.reshape(weights, (1, n), order="C")
    constraints = [
        cp.sum(weights) == 1,
        shares @ pool + np.sqrt(gamma) * ridge_shares == targets,
        cp.sum(costs, axis=1) + ridge_costs <= bound,
        # h^2 <= cost * weight, as |(2h, cost - weight)| <= cost + weight.
        cp.SOC(
            cp.vec(costs + spread, order="C"),
            cp.vstack([cp.vec(2 * shares, order="C"), cp.vec(costs - spread, order="C")]),
            axis=0,
        ),
        cp.SOC(
            ridge_costs + 1,
            cp.vstack([2 * ridge_shares.T, cp.reshape(ridge_costs - 1, (1, m), order="C")]),
            axis=0,
        ),
    ]
    return weights, cp.Problem(cp.Minimize(bound), constraints)


def settings(solver, form, limit):
    """Clarabel at its default tolerances (1e-8), which is easier than 1e-9; SCS at 1e-6 (its default is 1e-4).

    Clarabel factorises the cone form faster with its simple sparse solver, the others with its default.
    """
    if solver == "SCS":
        return {"time_limit_secs": limit, "eps_abs": 1e-6, "eps_rel": 1e-6, "max_iters": 10_000_000}
    method = {"direct_solve_method": "qdldl"} if form == "cones" else {}
    return {"time_limit": limit, **method}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("problem")
    parser.add_argument("result")
    parser.add_argument("--solver", required=True, choices=["CLARABEL", "SCS"])
    parser.add_argument("--form", default="blocks", choices=["blocks", "cones"])
    parser.add_argument("--limit", type=float, required=True)
    parser.add_argument("--memory", type=float, required=True)
    options = parser.parse_args()
    size = int(options.memory * 2**30)
    resource.setrlimit(resource.RLIMIT_AS, (size, size))

    data = np.load(options.problem)
    gamma, criterion = float(data["gamma"]), str(data["criterion"])
    started = time.perf_counter()
    if criterion == "d":
        weights, problem = determinant_problem(data["pool"], gamma)
    else:
        targets = pair_differences(data["targets"]) if criterion == "xy" else data["pool"]
        build = cone_problem if options.form == "cones" else block_problem
        weights, problem = build(data["pool"], targets, gamma)

    def solve():
        problem.solve(solver=options.solver, **settings(options.solver, options.form, options.limit))
        return problem, problem.solver_stats.solve_time

    _, first, seconds = repeated(solve, started)
    answer = {
        "status": problem.status,
        "solve_seconds": seconds,
        "total_seconds": first,
        "iterations": problem.solver_stats.num_iters,
        "weights": None if weights.value is None else weights.value.tolist(),
    }
    with open(options.result, "w") as file:
        json.dump(answer, file)


if __name__ == "__main__":
    main()
