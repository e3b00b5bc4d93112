"""Sizes as users write them, and what a candidate's literals give away."""

import pytest

from kernelwright_verifier.task.full_size import narrow_numbers
from kernelwright_verifier.task.sizes import (
    format_sizes,
    halved_sizes,
    integer_literals,
    literal_sizes,
    may_know_sizes,
    names_sizes,
    parse_sizes,
    smallest_sizes,
)


def test_sizes_round_trip() -> None:
    sizes = parse_sizes("N=4096, D = 2 * 32 ,  M=N // 2")
    assert sizes == {"N": 4096, "D": 64, "M": 2048}
    assert parse_sizes(format_sizes(dict(sizes))) == sizes


@pytest.mark.parametrize("text", ["N", "N=", "N=-1", "N=1.5", "4=4", "N=M", "N=4 5"])
def test_bad_sizes_name_the_part(text: str) -> None:
    with pytest.raises(ValueError, match=text.split(",")[0].strip()[:1]):
        parse_sizes(text)


def test_halved_sizes_keep_the_divisors() -> None:
    found = list(halved_sizes({"N": 3 << 17, "M": 1000, "K": 4095, "flag": True, "shape": (2048, 2)}))
    assert found[0] == {"N": 3 << 16, "M": 1000, "K": 4095}
    assert found[-1] == {"N": 384, "M": 1000, "K": 4095} and len(found) == 10
    assert list(halved_sizes({"N": 128})) == list(halved_sizes({})) == []


def test_smallest_sizes_keep_what_is_left_of_eight() -> None:
    reduced = {"ROWS": 216, "COLUMNS": 168, "HEADS": 12, "TOP": 4}
    full = {"ROWS": 601, "COLUMNS": 9000, "HEADS": 12, "TOP": 4, "shape": (2, 3)}
    assert smallest_sizes(reduced, full) == {"ROWS": 9, "COLUMNS": 8, "HEADS": 12, "TOP": 4}


def test_literals_outside_of_comments_and_strings() -> None:
    text = 'int a = 4096; // 1024\n/* 2048 */ const char* s = "512"; float f = 16.0f; long b = 0x20L; int c8 = 010;'
    assert integer_literals(text) == {4096, 32, 8}


def test_sizes_that_stand_as_literals() -> None:
    assert literal_sizes("for (int k = 0; k < 4096; ++k)", {"K": 4096, "M": 1024}) == {"K": 4096}


@pytest.mark.parametrize(
    ("text", "knows", "names"),
    [
        ("x[i * n + j] with 256 threads", False, False),
        ("x[i * 4096 + j]", True, True),
        ("#define ROWS 64\n#define COLS 64", True, False),
        ("x[16777216 - 1]", True, True),
    ],
)
def test_candidates_that_may_know_the_size(text: str, knows: bool, names: bool) -> None:
    sizes: dict[str, object] = {"N": 4096, "M": 4096}
    assert (may_know_sizes(text, sizes), names_sizes(text, sizes)) == (knows, names)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("unsigned short at = i;", {65536}),
        ("void f(int16_t row, uint8_t column)", {32768, 256}),
        ("const unsigned char* x; __shared__ uint16_t tile[64]; (unsigned short)v", set()),
    ],
)
def test_how_far_narrow_variables_count(text: str, numbers: set[int]) -> None:
    assert narrow_numbers(text) == numbers
