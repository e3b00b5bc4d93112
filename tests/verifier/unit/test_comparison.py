"""Two candidates timed in turns: when a difference is said, and when not."""

import random
from typing import Any

import pytest

from kernelwright_verifier.gates.latency.comparison import compare, settle, wants_another


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
    with pytest.raises(ValueError, match="equally many of each"):
        compare(turns(1, 1), turns(1, 2)[:4])


@pytest.mark.parametrize(
    ("first_us", "again_us", "wanted", "answer"),
    [
        (100, 90, False, "no difference seen"),
        (90, 90, False, "faster"),
        (97, 97, True, "faster"),
        (97, 100, True, "no difference seen"),
        (97, 103, True, "no difference seen"),
        (103, 104, True, "slower"),
    ],
)
def test_a_small_difference_is_one_that_other_processes_see_too(
    first_us: float, again_us: float, wanted: bool, answer: str
) -> None:
    first = compare(turns(100, 1), turns(first_us, 2))
    again = compare(turns(100, 3), turns(again_us, 4))
    assert wants_another(first) is wanted
    if wanted:
        both = settle(first, again)
        assert both.answer == answer
        assert both.low <= both.ratio <= both.high
    else:
        assert first.answer == answer


def test_what_was_unstable_is_as_the_second_look_says() -> None:
    unstable = compare(turns(100, 1, drift=0.2), turns(90, 2, drift=0.2))
    assert wants_another(unstable)
    assert settle(unstable, compare(turns(100, 3), turns(90, 4))).answer == "faster"
