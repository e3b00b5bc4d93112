"""What `tests/conftest.py` leaves to `make test-all` exists, and leaves something of each kind to every change."""

import ast
import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

TESTS = Path(__file__).resolve().parents[1]
_EXPECT = re.compile(r"^// expect: ([A-Z_]+)$", re.MULTILINE)


def shared() -> ModuleType:
    spec = importlib.util.spec_from_file_location("shared_conftest", TESTS / "conftest.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_is_sampled_and_what_is_long_exists() -> None:
    conftest = shared()
    for test in conftest.SAMPLED:
        file, _, name = test.partition("::")
        tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
        assert name in {
            n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)
        }, test
    assert [name for name in conftest.LONGEST if not (TESTS / f"{name}.py").is_file()] == []


class Item:
    """As much of a collected test as the sampling looks at."""

    def __init__(self, test: str, parameters: str) -> None:
        self.path = TESTS / test.partition("::")[0]
        self.nodeid = f"tests/{test}[{parameters}]"
        self.name = self.nodeid.rpartition("::")[2]
        self.slow = False

    def add_marker(self, marker: pytest.MarkDecorator) -> None:
        self.slow = self.slow or marker.name == "slow"


def test_every_kind_of_cheat_is_met_at_every_change() -> None:
    """A finding that some cheat is due for is due for one that runs daily."""
    listed = (TESTS / "verifier/hack/test_corpus.py").read_text(encoding="utf-8")
    names = re.search(r'HACKED = """(.*?)"""', listed, re.DOTALL)
    assert names is not None
    cheats = {name: TESTS / "corpora/cheats" / f"{name}.cu" for name in names[1].split()}
    items = [Item("verifier/hack/test_corpus.py::test_a_hack_is_stopped_and_named", name) for name in cheats]
    shared().pytest_collection_modifyitems(list(items))
    due = {
        item: match[1]
        for item, path in zip(items, cheats.values(), strict=True)
        if (match := _EXPECT.search(path.read_text(encoding="utf-8")))
    }
    daily = {code for item, code in due.items() if not item.slow}
    assert daily == set(due.values())
    assert any(item.slow for item in items)
