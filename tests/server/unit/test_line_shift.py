"""Findings of an earlier text stand where their lines went."""

import random

import pytest

from kernelwright_server.session.kernel_document import LineShift

KERNEL = (
    "__global__ void k{0}(float* y) {{\n    int i = {0};\n    if (i < 4) {{\n        y[i] = 1;\n    }}\n}}\n"
)
TEXT = "".join(KERNEL.format(number) for number in range(40))


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_lines_follow_what_is_written_above_and_changed_ones_are_gone(ending: str) -> None:
    before = ending.join(("a", "b", "c", "d"))
    after = ending.join(("new", "a", "B", "c", "more", "d"))
    shift = LineShift(before, after)
    assert [shift.line(line) for line in (1, 2, 3, 4)] == [2, None, 4, 6]


def test_lines_that_stand_there_many_times_keep_their_neighbours() -> None:
    lines = TEXT.split("\n")
    after = [*lines[:2], "    // first", *lines[2:-3], "    // last", *lines[-3:]]
    shift = LineShift(TEXT, "\n".join(after))
    for number in range(1, len(lines) + 1):
        moved = 0 if number <= 2 else 2 if number > len(lines) - 3 else 1
        assert shift.line(number) == number + moved


@pytest.mark.parametrize("seed", range(20))
def test_a_line_is_only_ever_found_again_in_order_and_with_its_text(seed: int) -> None:
    draw = random.Random(seed)
    lines = TEXT.split("\n")
    after = [line for line in lines if draw.random() > 0.1]
    for _ in range(draw.randrange(12)):
        after.insert(draw.randrange(len(after)), draw.choice(["}", "    int i = 3;", "// new"]))
    shift = LineShift(TEXT, "\n".join(after))
    found = [(line, shift.line(number)) for number, line in enumerate(lines, 1)]
    places = [place for _, place in found if place is not None]
    assert places == sorted(set(places)) and len(places) > len(lines) / 2
    assert all(after[place - 1] == line for line, place in found if place is not None)
