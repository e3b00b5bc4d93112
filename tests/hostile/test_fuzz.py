"""A small sample of `benchmarks/fuzz_containment.py`: each reader, a handful of documents."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
CASES = 200


def loaded(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, BENCHMARKS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


pytest.importorskip("hypothesis")
loaded("record")
READERS = sorted(loaded("fuzz_readers").READERS)
fuzz = loaded("fuzz_containment")


@pytest.mark.parametrize("reader", READERS)
def test_nothing_that_is_read_ends_in_a_traceback_a_hang_or_a_write_outside(reader: str) -> None:
    row = fuzz.run_batch(reader, 1_000, 0, CASES // len(READERS) + 1)
    assert row["faults"] == []
