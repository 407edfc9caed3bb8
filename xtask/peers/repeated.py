"""One rule for all solvers: quick ones are run again in the same process, and the median counts."""

import statistics
import time

ENOUGH_SECONDS, MOST_RUNS = 2.0, 9


def repeated(solve, started):
    """Runs `solve`, which gives an answer and its seconds; the last answer, the seconds to the first one in all, the median."""
    answer, seconds = solve()
    first = time.perf_counter() - started
    runs = [seconds]
    while len(runs) < MOST_RUNS and sum(runs) < ENOUGH_SECONDS:
        answer, seconds = solve()
        runs.append(seconds)
    return answer, first, statistics.median(runs)
