"""Living with the interpreter: threads, Ctrl-C, imports, memory, and panics that stay inside."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import elfving
import numpy as np
import pytest
from conftest import table


def python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_a_panic_becomes_an_internal_error_that_asks_for_a_report() -> None:
    with pytest.raises(elfving.InternalError, match="on purpose; this is a bug of Elfving, please report it"):
        elfving._native._panic_on_purpose()
    assert elfving.design(np.eye(2)).status == "certified"


def test_nothing_of_the_tests_is_public() -> None:
    assert not [name for name in elfving._native.__all__ if "panic" in name]


def test_importing_takes_nothing_heavy_along() -> None:
    heavy = ("numpy", "matplotlib", "pandas", "polars", "sklearn", "scipy", "tqdm", "pyarrow")
    loaded = python("import sys, elfving; print(*sys.modules)").split()
    assert [name for name in heavy if name in loaded] == []


def test_other_python_runs_while_a_design_is_computed() -> None:
    counted = 0
    done = threading.Event()

    def count() -> None:
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0.0005)

    counter = threading.Thread(target=count)
    counter.start()
    try:
        elfving.design(table(30000, 20), "d", method="mirror-descent", tolerance=1e-12, max_iterations=30)
    finally:
        done.set()
        counter.join()
    assert counted > 20


def test_four_threads_compute_four_designs_at_once() -> None:
    inside = 0
    most = 0
    lock = threading.Lock()
    entered = threading.Barrier(4, timeout=60)

    def compute(seed: int) -> elfving.Design:
        nonlocal inside, most
        first = True

        def progress(_: elfving.Progress) -> None:
            nonlocal inside, most, first
            if first:
                # Every design waits here for the other three: they pass only if all are under way together.
                first = False
                with lock:
                    inside += 1
                    most = max(most, inside)
                entered.wait()

        return elfving.design(table(20000, 15, seed), "d", method="mirror-descent", tolerance=1e-12, max_iterations=40, progress=progress)

    with ThreadPoolExecutor(4) as threads:
        designs = list(threads.map(compute, range(4)))
    assert most == 4
    alone = elfving.design(table(20000, 15, 2), "d", method="mirror-descent", tolerance=1e-12, max_iterations=40)
    assert np.array_equal(designs[2].weights, alone.weights)


LONG = """
import numpy as np, elfving, sys
x = np.random.default_rng(0).normal(size=(60000, 40))
def started(progress):
    print("started", flush=True)
try:
    elfving.design(x, "d", method="mirror-descent", tolerance=1e-14, max_iterations=10**9, progress=started)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    sys.exit(7)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_ctrl_c_ends_a_long_design() -> None:
    process = subprocess.Popen([sys.executable, "-u", "-c", LONG], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "started\n"
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert "interrupted" in output and process.returncode == 7


WITHOUT_CALLBACK = """
import numpy as np, elfving, sys, threading, os, signal, time
x = np.random.default_rng(0).normal(size=(4000, 3))
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    # A kernel of full rank: one factorisation of many seconds, which cannot be told to stop.
    elfving.Pool(x, kernel=elfving.kernels.matern12(0.01)).features(gamma=1e-3)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    os._exit(7)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_ctrl_c_is_answered_where_the_work_cannot_stop() -> None:
    process = subprocess.run([sys.executable, "-u", "-c", WITHOUT_CALLBACK], capture_output=True, text=True, timeout=120)
    assert "interrupted" in process.stdout and process.returncode == 7


MEMORY = """
import numpy as np, elfving, resource, sys
rows, columns = 1_000_000, 20
x = np.random.default_rng(0).normal(size=(rows, columns))
small = elfving.design(x[:1000].copy(), "d", tolerance=1e-2)
def peak():
    with open("/proc/self/status") as status:
        lines = dict(line.split(":", 1) for line in status)
    return int(lines["VmHWM"].split()[0]) * 1024
def now():
    with open("/proc/self/status") as status:
        lines = dict(line.split(":", 1) for line in status)
    return int(lines["VmRSS"].split()[0]) * 1024
with open("/proc/self/clear_refs", "w") as clear:
    clear.write("5")
before = now()
design = elfving.design(x, "d", tolerance=1e-2)
print(design.status, (peak() - before) / x.nbytes)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_large_array_is_not_copied() -> None:
    status, rise = python(MEMORY).split()
    assert status == "certified"
    assert float(rise) < 0.3
