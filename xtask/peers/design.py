"""Elfving beside the solvers people use today, interleaved in one run; prints a markdown table.

    cargo xtask peers design [--limit SECONDS] [--cases a,b,c,d,e] [--rounds N] [--memory GIGABYTES]

Times are medians. "solve" is the solver alone, "in all" the first solve with building the problem; every solver runs in a
Python process of its own, Elfving through its package, and quick ones several times in it. Every design is checked again by `check.py` from
its weights alone: the last gap column is never what a solver says of itself.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import check
import pools

HERE = Path(__file__).parent
TOLERANCE = 1e-9
# A peer slower than this is run once; Elfving is run at least this often.
SLOW_SECONDS, OWN_RUNS = 20.0, 5
RBF_OPTIMUM, RBF_LENGTHSCALE = 27.4911057, 0.025


@dataclass
class Problem:
    """A pool and a question about it."""

    pool: np.ndarray
    criterion: str
    gamma: float
    targets: np.ndarray | None = None
    lengthscale: float | None = None

    def certificate(self, weights):
        """Value and bound, by numpy."""
        if self.criterion == "d":
            return check.determinant_certificate(self.pool, weights, self.gamma)
        if self.lengthscale is not None:
            form = check.KernelForm(check.rbf(self.pool, self.pool, self.lengthscale), weights, self.gamma)
        else:
            targets = self.pool if self.criterion == "g" else check.pair_differences(self.targets)
            form = check.FeatureForm(self.pool, targets, weights, self.gamma)
        return check.norm_certificate(form, weights)


@dataclass
class Answer:
    """One run of one solver. A limit may have stopped it, with or without weights."""

    solve: float | None = None
    total: float | None = None
    weights: np.ndarray | None = None
    stated_value: float | None = None
    stated_gap: float | None = None
    stopped: bool = False
    note: str = ""


@dataclass
class Contestant:
    """A solver on a problem, and its runs so far."""

    name: str
    problem: Problem
    run: callable
    answers: list = field(default_factory=list)

    def go(self):
        say(f"    {self.name} ...")
        self.answers.append(self.run(self.problem))

    def wants_another(self):
        last = self.answers[-1]
        return last.total is not None and last.total < SLOW_SECONDS

    def median(self, what):
        values = [getattr(answer, what) for answer in self.answers if getattr(answer, what) is not None]
        return statistics.median(values) if values else None


def say(text):
    print(text, file=sys.stderr, flush=True)


def simplex(weights):
    weights = np.clip(np.asarray(weights, dtype=float), 0.0, None)
    return weights / weights.sum()


class Solvers:
    """How each solver is called."""

    def __init__(self, options, folder):
        self.options, self.folder = options, Path(folder)

    def elfving(self, problem):
        source, result = self.saved(problem)
        answer, reason = self.worker("own.py", [str(source), str(result)], result)
        if answer is None:
            raise SystemExit(f"Elfving: {reason}")
        weights, value, gap = np.array(answer["weights"]), answer["value"], answer["gap"]
        return Answer(answer["solve_seconds"], answer["total_seconds"], weights, value, gap, note=answer["status"])

    def saved(self, problem):
        """The problem in a file, and where its answer goes."""
        source = self.folder / "problem.npz"
        targets = np.zeros((0, 1)) if problem.targets is None else problem.targets
        words = {"gamma": problem.gamma, "criterion": problem.criterion, "lengthscale": problem.lengthscale or 0.0}
        np.savez(source, pool=problem.pool, targets=targets, **words)
        return source, self.folder / "result.json"

    def conic(self, solver, form="blocks"):
        def run(problem):
            source, result = self.saved(problem)
            options = ["--solver", solver, "--form", form]
            options += ["--limit", str(self.options.limit), "--memory", str(self.options.memory)]
            answer, reason = self.worker("conic.py", [str(source), str(result), *options], result)
            if answer is None:
                return Answer(stopped=True, note=reason)
            weights = None if answer["weights"] is None else simplex(answer["weights"])
            stopped = weights is None or answer["solve_seconds"] >= self.options.limit
            note = f"{answer['status']}, {answer['iterations']} iterations"
            return Answer(answer["solve_seconds"], answer["total_seconds"], weights, stopped=stopped, note=note)

        return run

    def mirror(self, target):
        """Both answers of mirror descent, searched with the number of BLAS threads that is quicker here."""
        result = self.folder / "mirror.json"
        probes = {}
        for threads in {1, os.cpu_count() or 1}:
            answer, _ = self.worker("mirror.py", [str(result), "--probe"], result, threads)
            probes[threads] = answer["seconds"]
        threads = min(probes, key=probes.get)
        options = [str(result), "--target", repr(target), "--limit", str(self.options.limit)]
        answer, note = self.worker("mirror.py", options, result, threads, allowance=20.0)
        if answer is None:
            raise SystemExit(f"mirror descent: {note}")
        return answer, threads

    def worker(self, script, arguments, result, threads=None, allowance=1.0):
        """Runs a peer in its own process; None and the reason when it was stopped."""
        result.unlink(missing_ok=True)
        environment = dict(os.environ)
        if threads is not None:
            environment.update({f"{name}_NUM_THREADS": str(threads) for name in ("OPENBLAS", "OMP", "MKL")})
        command = [sys.executable, str(HERE / script), *arguments]
        limit = allowance * self.options.limit + 120.0
        try:
            process = subprocess.run(
                command, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=environment, timeout=limit
            )
        except subprocess.TimeoutExpired:
            return None, f"stopped: no answer {limit:.0f} s after its start"
        if result.exists():
            return json.loads(result.read_text()), ""
        last = (process.stderr.strip().splitlines() or ["no message"])[-1]
        # A failed allocation ends the process by a signal, or as Python's MemoryError.
        if process.returncode < 0 or "Memory" in last or "alloc" in last:
            return None, f"out of memory (limit {self.options.memory:.0f} GB)"
        return None, f"failed: {last}"


def interleave(own, peers, rounds):
    """Own, peer, own, peer, ...; slow peers once."""
    for turn in range(rounds):
        for peer in peers:
            if turn == 0 or peer.wants_another():
                own.go()
                peer.go()
    while len(own.answers) < OWN_RUNS:
        own.go()


class Table:
    """The markdown rows, and whether every design of ours passed its check."""

    def __init__(self):
        self.lines = [
            "| case | solver | solve (s) | in all (s) | gap stated | value, gap by numpy | solve / Elfving | note |",
            "|---|---|---|---|---|---|---|---|",
        ]
        self.remarks, self.accepted = [], True

    def add(self, case, own, peers):
        base = own.median("solve")
        for contestant in [own, *peers]:
            answer = contestant.answers[-1]
            more = "> " if answer.stopped else ""
            solve, total = contestant.median("solve"), contestant.median("total")
            cells = [
                case,
                contestant.name,
                "" if solve is None else f"{more}{solve:.4g}",
                "" if total is None else f"{more}{total:.4g}",
                "" if answer.stated_gap is None else f"{answer.stated_gap:.1e}",
                "" if answer.weights is None else self.checked(contestant),
                "" if solve is None else f"{more}{solve / base:.3g}",
                answer.note,
            ]
            self.lines.append("| " + " | ".join(cells) + " |")
            case = ""

    def checked(self, contestant):
        """Value and gap of the last answer, by numpy; ours must also have the value that it states."""
        answer = contestant.answers[-1]
        say(f"    checking {contestant.name}")
        value, bound = contestant.problem.certificate(answer.weights)
        gap = abs(value - bound) / abs(bound)
        if answer.stated_value is None:
            return f"{value:.10g}, {gap:.1e}"
        # The proof's weights w are found again here, not read, so the gap may come out a little wider.
        agrees = abs(value - answer.stated_value) <= 10 * TOLERANCE * abs(value) and gap <= 10 * TOLERANCE
        self.accepted &= agrees
        return f"{value:.10g}, {gap:.1e} ({'agrees' if agrees else 'DISAGREES'})"


def case_a(solvers, options, table):
    problem = Problem(pools.paper_g(), "d", 0.0)
    own = Contestant("Elfving", problem, solvers.elfving)
    peers = [Contestant(f"cvxpy + {name}", problem, solvers.conic(name.upper())) for name in ("Clarabel", "SCS")]
    interleave(own, peers, options.rounds)
    table.add("a: paper's G pool, n = 1275, d = 50, criterion d, gamma 0", own, peers)


def case_b(solvers, options, table):
    pool = pools.normalised(pools.normals(21, 210, 20))
    problem = Problem(pool, "d", 0.0)
    own = Contestant("Elfving", problem, solvers.elfving)
    peers = [Contestant("cvxpy + Clarabel", problem, solvers.conic("CLARABEL"))]
    interleave(own, peers, options.rounds)
    table.add("b: n = 210, d = 20, criterion d, gamma 0", own, peers)

    problem = Problem(pools.paper_g(210, 20, 21), "d", 0.0)
    own = Contestant("Elfving", problem, solvers.elfving)
    peers = [Contestant("cvxpy + Clarabel", problem, solvers.conic("CLARABEL"))]
    interleave(own, peers, options.rounds)
    table.add("b: like the paper's G pool, n = 210, d = 20, criterion d, gamma 0", own, peers)

    problem = Problem(pool, "g", 0.01)
    own = Contestant("Elfving", problem, solvers.elfving)
    peers = [
        Contestant("cvxpy + Clarabel, matrix inequalities", problem, solvers.conic("CLARABEL", "blocks")),
        Contestant("cvxpy + Clarabel, second-order cones", problem, solvers.conic("CLARABEL", "cones")),
    ]
    interleave(own, peers, options.rounds)
    table.add("b: n = 210, d = 20, criterion g, gamma 0.01", own, peers)


def case_c(solvers, options, table):
    problem = Problem(pools.paper_rbf(), "g", 0.005, lengthscale=RBF_LENGTHSCALE)
    target = RBF_OPTIMUM * (1.0 + 5e-3)
    own = Contestant("Elfving", problem, solvers.elfving)
    own.go()
    say("    mirror descent, searching step sizes ...")
    found, threads = solvers.mirror(target)
    peers = []
    for kind, answer in found.items():
        peer = Contestant(f"numpy mirror descent, {kind}", problem, None)
        if answer is None:
            peer.answers.append(Answer(options.limit, stopped=True, note="did not get there"))
        else:
            weights = simplex(answer["weights"])
            value, _ = problem.certificate(weights)
            note = f"true gap {value / RBF_OPTIMUM - 1:.1e}; {answer['steps']} steps, {answer['rule']} step "
            note += f"{answer['eta']:g}, {threads} BLAS thread(s)"
            peer.answers.append(Answer(answer["seconds"], None, weights, note=note))
        peers.append(peer)
    while len(own.answers) < OWN_RUNS:
        own.go()
    table.add("c: paper's RBF pool, n = 501, criterion g, gamma 0.005; mirror descent to a true 5e-3", own, peers)


def case_d(solvers, options, table):
    pool, all_targets = pools.normals(23, 1000, 20), pools.normals(22, 200, 20)
    finished = []
    for count in (30, 45, 200):
        problem = Problem(pool, "xy", 0.01, targets=all_targets[:count])
        pairs = count * (count - 1) // 2
        own = Contestant("Elfving", problem, solvers.elfving)
        peer = Contestant("cvxpy + Clarabel", problem, solvers.conic("CLARABEL"))
        interleave(own, [peer], options.rounds)
        table.add(f"d: n = 1000, d = 20, criterion xy, gamma 0.01, {count} targets ({pairs} pairs)", own, [peer])
        if not peer.answers[-1].stopped:
            finished.append((pairs, peer.median("solve")))
    if len(finished) >= 2 and finished[-1][0] != pairs:
        (few, short), (many, long) = finished[-2:]
        estimate = long + (long - short) / (many - few) * (pairs - many)
        table.remarks.append(
            f"Case d: Clarabel did not finish {pairs} pairs. One matrix inequality a pair makes its work grow at least "
            f"in proportion to them; {few} pairs took {short:.0f} s and {many} took {long:.0f} s, so {pairs} would take "
            f"about {estimate:.0f} s ({estimate / own.median('solve'):.0f} times Elfving), were there memory for it."
        )


def case_e(solvers, options, table):
    pool = pools.paper_g()
    own = Contestant("Elfving, d", Problem(pool, "d", 0.0), solvers.elfving)
    other = Contestant("Elfving, g", Problem(pool, "g", 0.01), solvers.elfving)
    for _ in range(OWN_RUNS):
        own.go()
        other.go()
    table.add("e: paper's G pool, criterion d, gamma 0, and g, gamma 0.01", own, [other])
    ratio = other.median("solve") / own.median("solve")
    table.remarks.append(f"Case e: g takes {ratio:.2f} times as long as d.")


CASES = {"a": case_a, "b": case_b, "c": case_c, "d": case_d, "e": case_e}


def main():
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=float, default=600.0, help="seconds for one solve of a peer (default 600)")
    parser.add_argument("--memory", type=float, default=0.75 * memory, help="gigabytes for a peer (default 3/4 of all)")
    parser.add_argument("--rounds", type=int, default=3, help="runs of a peer below 20 s (default 3)")
    parser.add_argument("--cases", default=",".join(CASES), help="which cases (default: all)")
    options = parser.parse_args()
    unknown = [name for name in options.cases.split(",") if name not in CASES]
    if unknown:
        parser.error(f"there is no case {unknown[0]}; the cases are {', '.join(CASES)}")

    pools.verify()
    table = Table()
    with tempfile.TemporaryDirectory() as folder:
        solvers = Solvers(options, folder)
        for name in options.cases.split(","):
            say(f"case {name}")
            CASES[name](solvers, options, table)
    print("\n".join(table.lines))
    for remark in table.remarks:
        print(f"\n{remark}")
    print(
        f"\nElfving to a certified {TOLERANCE:g}, Clarabel at its default tolerances (1e-8), SCS at 1e-6. "
        f"{os.cpu_count()} cores, numpy {np.__version__}."
    )
    if not table.accepted:
        raise SystemExit("a design of Elfving does not have the value or the gap that it states")


if __name__ == "__main__":
    main()
