"""A small sample of `benchmarks/fuzz_containment.py`: each reader, a handful of documents."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("hypothesis")
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import fuzz_containment
from lib.fuzz_readers import READERS

CASES = 200


@pytest.mark.parametrize("reader", sorted(READERS))
def test_nothing_that_is_read_ends_in_a_traceback_a_hang_or_a_write_outside(reader: str) -> None:
    row = fuzz_containment.run_batch(reader, 1_000, 0, CASES // len(READERS) + 1)
    assert row["faults"] == []
