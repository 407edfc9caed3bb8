"""The notebooks run from top to bottom, and show what they showed."""

from __future__ import annotations

from pathlib import Path

import nbclient
import nbformat
import pytest

NOTEBOOKS = sorted((Path(__file__).parent.parent / "notebooks").glob("*.ipynb"))


def shown(book: nbformat.NotebookNode) -> list[list[str]]:
    """The kinds of outputs of each cell; text that a slow machine prints in two pieces is one."""
    outputs = (cell.outputs for cell in book.cells if cell.cell_type == "code")
    kinds = ([part.output_type for part in parts if part.get("name") != "stderr"] for parts in outputs)
    return [[kind for k, kind in enumerate(cell) if kind != "stream" or cell[k - 1 : k] != ["stream"]] for cell in kinds]


def test_there_are_notebooks() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["kernel_experiment", "lab_campaign"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs_and_shows_as_many_things(path: Path) -> None:
    kept = nbformat.read(path, as_version=4)
    book = nbformat.read(path, as_version=4)
    where = {"metadata": {"path": str(path.parent)}}
    nbclient.NotebookClient(book, timeout=600, resources=where).execute()
    assert shown(book) == shown(kept), "run the notebook again and keep what it shows"
    assert all(cell.execution_count for cell in kept.cells if cell.cell_type == "code"), "notebooks are kept executed"
