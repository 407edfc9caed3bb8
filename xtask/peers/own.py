"""Elfving through its Python package, in a process of its own like the peers.

    python own.py PROBLEM.npz RESULT.json
"""

import json
import sys
import time

import elfving
import numpy as np

from repeated import repeated

TOLERANCE = 1e-9


def main():
    source, result = sys.argv[1:]
    data = np.load(source)
    lengthscale = float(data["lengthscale"])
    started = time.perf_counter()
    pool = elfving.Pool(data["pool"], kernel=elfving.kernels.rbf(lengthscale) if lengthscale > 0 else None)
    targets = data["targets"] if len(data["targets"]) else None

    def solve():
        design = elfving.design(pool, str(data["criterion"]), targets=targets, gamma=float(data["gamma"]), tolerance=TOLERANCE)
        return design, design.to_dict()["seconds"]

    design, first, seconds = repeated(solve, started)
    answer = {
        "status": design.status,
        "value": design.value,
        "gap": design.relative_gap,
        "solve_seconds": seconds,
        "total_seconds": first,
        "weights": design.weights.tolist(),
    }
    with open(result, "w") as file:
        json.dump(answer, file)


if __name__ == "__main__":
    main()
