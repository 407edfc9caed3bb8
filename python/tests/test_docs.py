"""Every example of the package and of its pages runs."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
from pathlib import Path

import elfving
import pytest

MODULES = ["elfving", *(f"elfving.{entry.name}" for entry in pkgutil.iter_modules(elfving.__path__) if entry.name != "_native")]
ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "docs/python.md", ROOT / "python/README.md"]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8").replace("```", "")
    examples = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    assert examples.examples
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    assert runner.run(examples).failed == 0


def test_everything_public_is_documented() -> None:
    for name in elfving.__all__:
        value = getattr(elfving, name)
        if name == "__version__":
            continue
        assert inspect.getdoc(value), name
        if inspect.isclass(value):
            for member, what in vars(value).items():
                if not member.startswith("_") and (inspect.isfunction(what) or isinstance(what, (property, classmethod))):
                    assert inspect.getdoc(getattr(value, member, what)) or inspect.getdoc(what), f"{name}.{member}"
