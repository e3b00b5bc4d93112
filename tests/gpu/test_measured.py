"""What is said of the samples of a timed run: COST_UNSTABLE, COST_OUTSIDE_STREAM, or nothing."""

from typing import Any

import pytest

from kernelwright_backends.cuda.gpu.measured import latency_of

STEADY = [100.0 + n % 3 for n in range(60)]


def timing(samples: list[float], joined: float) -> dict[str, Any]:
    return {"samples_us": samples, "joined_us": [joined] * 5, "host_us": 5.0, "empty_us": 2.0}


@pytest.mark.parametrize(
    ("samples", "joined", "codes"),
    [
        (STEADY, 104.0, []),
        ([2.0 + 0.1 * (n % 4) for n in range(60)], 3.0, []),
        ([100.0] * 30 + [108.0] * 30, 104.0, ["COST_UNSTABLE"]),
        ([80.0, 130.0] * 30, 104.0, ["COST_UNSTABLE"]),
        (STEADY, 900.0, ["COST_OUTSIDE_STREAM"]),
    ],
    ids=["steady", "short", "drifting", "scattered", "outside"],
)
def test_findings(samples: list[float], joined: float, codes: list[str]) -> None:
    seen = latency_of(timing(samples, joined))
    assert [f.code for f in seen.findings] == codes
    assert seen.latency_us == (
        joined if "COST_OUTSIDE_STREAM" in codes else pytest.approx(sorted(samples)[30], rel=0.3)
    )
