"""Two candidates timed in turns: when a difference is said, and when not."""

import random
from typing import Any

import pytest

from kernelwright_verifier.gates.comparison import compare


def turns(
    latency_us: float, seed: int, *, noise: float = 0.01, drift: float = 0.0, clock: float = 1980
) -> list[Any]:
    draw = random.Random(seed)
    return [
        {
            "samples_us": [latency_us * (1 + drift * n / 24) * draw.gauss(1, noise) for _ in range(10)],
            "clock_mhz": clock,
        }
        for n in range(24)
    ]


@pytest.mark.parametrize(
    ("first", "second", "answer"),
    [
        (turns(100, 1), turns(100, 2), "no difference seen"),
        (turns(100, 1), turns(101, 2), "no difference seen"),
        (turns(100, 1), turns(95, 2), "faster"),
        (turns(100, 1), turns(105, 2), "slower"),
        (turns(100, 1, drift=0.2), turns(90, 2, drift=0.2), "unstable"),
        (turns(100, 1), turns(90, 2, clock=1500), "unstable"),
    ],
    ids=["same", "one percent", "faster", "slower", "drift", "clocks"],
)
def test_answers(first: list[Any], second: list[Any], answer: str) -> None:
    seen = compare(first, second)
    assert seen.answer == answer
    assert seen.low <= seen.ratio <= seen.high


def test_a_comparison_needs_turns_of_both() -> None:
    with pytest.raises(ValueError, match="as many of each"):
        compare(turns(1, 1), turns(1, 2)[:4])
