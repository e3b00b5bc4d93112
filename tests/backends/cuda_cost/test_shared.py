"""What reaches shared memory, and how often it has to serve it: as Nsight Compute counted on an H200."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from kernelwright_backends.interfaces.run import RunResult

Counted = Callable[..., dict[str, Any]]

# By pattern of addresses (single/shared.cu): wavefronts of loads of 4, 8 and 16 bytes, and of stores.
MEASURED = {
    0: ((1, 1, 2), (1, 2, 4)), 1: ((1, 2, 4), (1, 2, 4)), 2: ((1, 1, 2), (1, 2, 4)), 3: ((1, 2, 4), (1, 2, 4)),
    4: ((1, 1, 2), (1, 2, 4)), 5: ((1, 2, 4), (1, 2, 4)), 6: ((1, 1, 2), (1, 2, 4)), 7: ((2, 4, 8), (2, 4, 8)),
    8: ((1, 1, 2), (1, 2, 4)), 9: ((1, 1, 2), (1, 2, 4)), 10: ((1, 1, 2), (1, 2, 4)), 11: ((1, 2, 4), (1, 2, 4)),
    12: ((2, 2, 4), (2, 2, 4)), 13: ((1, 2, 8), (1, 2, 8)), 14: ((2, 4, 8), (2, 4, 8)),
}  # fmt: skip


@pytest.fixture
def counted(trace: Callable[..., RunResult]) -> Counted:
    """counted(which, pattern, x=...) -> the launch's counters."""

    def run(which: int, pattern: int = 0, **values: Any) -> dict[str, Any]:
        result = trace("single/shared.cu", [
            {"name": "x", "shape": [256], "role": "input"},
            {"name": "out", "shape": [256], "role": "output"},
            {"value": which},
            {"value": pattern},
        ], held=values)  # fmt: skip
        assert result.status == "ok" and result.calls[0].status == "ok", (result.message, result.findings)
        return dict(result.counters["samples"][0])

    return run


@pytest.mark.parametrize("pattern", MEASURED)
def test_shared_memory_serves_lanes_as_the_hardware_does(counted: Counted, pattern: int) -> None:
    for first, how, expected in ((0, "load", MEASURED[pattern][0]), (3, "store", MEASURED[pattern][1])):
        for width, wavefronts in enumerate(expected):
            sites = [s for s in counted(first + width, pattern)["sites"] if s["shared"] and s["how"] == how]
            # Other accesses fill the array, or read a single element.
            (served,) = {s["wavefronts"] for s in sites if s["requests"] == 1 and s["lanes"] == 32}
            assert served == wavefronts, (how, 4 << width)


def test_neighbours_are_loaded_at_once_where_the_compiler_knows_their_place(counted: Counted) -> None:
    known = counted(6)["counts"]
    assert known["shared_load_requests"] == 256 / 4
    assert (
        known["shared_wavefronts"] == 8 + 2 * 256 / 4
    )  # what was stored, and two passes for the registers of each
    for step in (1, 7):
        rows = (step * np.arange(256, dtype=np.float32)) % 64
        assert counted(7, 64, x=rows)["counts"]["shared_load_requests"] > 0.9 * 5 * 64


def test_short_conditional_accesses_are_made_by_all_warps(counted: Counted) -> None:
    # Eight warps in eight steps; in four, two and then one of them lanes are at work. Of the result one warp takes care.
    assert counted(8)["instructions"]["idle_accesses"] == 3 * (8 * 8 - (4 + 2 + 6)) + 7
    # What calls functions is branched over.
    assert counted(9)["instructions"]["idle_accesses"] == 7


@pytest.mark.parametrize(("which", "requests", "wavefronts"), [(10, 1, 4), (11, 4, 4), (12, 4, 4)])
def test_fragments_are_loaded_as_the_hardware_does(
    counted: Counted, which: int, requests: int, wavefronts: int
) -> None:
    """Halves by rows of sixteen bytes, bfloat16 by pairs, short floats one by one."""
    (site,) = [s for s in counted(which)["sites"] if s["shared"] and s["how"] == "load"]
    assert (site["requests"], site["wavefronts"]) == (requests, wavefronts)


def test_votes_do_not_go_through_shared_memory(counted: Counted) -> None:
    counts = counted(13)["counts"]
    assert (counts["votes"], counts["shuffles"], counts["shared_wavefronts"]) == (1, 1, 0)


def test_asynchronous_copies_of_sixteen_bytes_pass_by_the_registers(counted: Counted) -> None:
    wide, narrow = counted(14)["counts"], counted(15)["counts"]
    # One wavefront is the load at the end.
    assert (wide["shared_wavefronts"], narrow["shared_wavefronts"]) == (1, 2)
    assert wide["asynchronous_requests"] == narrow["asynchronous_requests"] == 1
