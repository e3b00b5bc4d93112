"""float16 and bfloat16 against models in numpy: every pattern, and random ones for what takes two or three."""

from collections.abc import Callable

import numpy as np
import pytest

COUNT = 65536
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def bfloat16_of(values: np.ndarray) -> np.ndarray:
    """The nearest bfloat16 of float64 values, as bits: rounded once, by the distance to both neighbours."""
    values = np.asarray(values, np.float64)
    with np.errstate(all="ignore"):
        single = values.astype(np.float32)
    bits = single.view(np.uint32)
    low = (bits & 0xFFFF0000).astype(np.uint32)
    # The float nearest to the value may lie beyond a bfloat16 that the value does not reach.
    beyond = np.abs(low.view(np.float32).astype(np.float64)) > np.abs(values)
    low = np.where(beyond, low - 0x10000, low).astype(np.uint32)
    high = (low + 0x10000).astype(np.uint32)
    # Exact in float64 but for the last binade, where the next one stands in for infinity.
    lower = np.abs(low.view(np.float32).astype(np.float64))
    step = np.where(lower == 0, 2.0**-133, 2.0 ** (np.maximum(np.frexp(lower)[1] - 1, -126) - 7))
    rest = np.abs(values) - lower
    up = (rest > step / 2) | ((rest == step / 2) & ((low >> 16) & 1 == 1))
    result = np.where(up & np.isfinite(values), high, low) >> 16
    result = np.where(np.isinf(values), np.where(values > 0, 0x7F80, 0xFF80), result)
    return np.where(np.isnan(values), 0x7FFF, result).astype(np.uint16)


def float16_of(values: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.asarray(values, np.float64).astype(np.float16).view(np.uint16)


def wide_of(bits: np.ndarray, width: int) -> np.ndarray:
    if width == 16:
        return bits.view(np.float16).astype(np.float64)
    return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def directed(values: np.ndarray, nearest: np.ndarray, width: int, mode: str) -> np.ndarray:
    """The nearest encoding stepped to the wanted side."""
    result = nearest.copy()
    magnitude = nearest & 0x7FFF
    found = wide_of(nearest, width)
    largest = 0x7BFF if width == 16 else 0x7F7F
    found = np.where(np.isinf(found) & np.isfinite(values), np.sign(found) * 1e40, found)
    too_high = found > values
    too_low = found < values
    negative = np.signbit(values)
    away = {"rz": (too_high & ~negative) | (too_low & negative), "ru": too_low, "rd": too_high}[mode]
    # One step: towards zero shortens the magnitude, away from it lengthens it.
    shorten = away & ((mode == "rz") | ((mode == "ru") & negative) | ((mode == "rd") & ~negative))
    lengthen = away & ~shorten
    result = np.where(shorten, (nearest & 0x8000) | np.minimum(magnitude - 1, largest), result)
    return np.where(lengthen, (nearest & 0x8000) | (magnitude + 1), result).astype(np.uint16)


@pytest.mark.parametrize("width", [16, 17], ids=["float16", "bfloat16"])
@pytest.mark.parametrize("standard", ["c++17", "c++20"])
def test_every_operation_rounds_once(run: Callable[..., bytes], width: int, standard: str) -> None:
    random = np.random.default_rng(7)
    a = np.arange(COUNT, dtype=np.uint16)
    # Half of the partners lie near in exponent, where rounding and cancellation happen.
    b = np.where(
        random.random(COUNT) < 0.5, a + random.integers(-4096, 4096, COUNT), random.integers(0, COUNT, COUNT)
    )
    b = b.astype(np.uint16)
    c = random.integers(0, COUNT, COUNT).astype(np.uint16)
    encode = float16_of if width == 16 else bfloat16_of
    wide_a, wide_b, wide_c = (wide_of(bits, width) for bits in (a, b, c))
    # Exact values, the middles between neighbours, and anything.
    middles = (wide_a + wide_of((a ^ 1), width)) / 2
    with np.errstate(all="ignore"):
        floats = np.where(random.random(COUNT) < 0.5, middles, wide_a * random.uniform(0.5, 2, COUNT)).astype(
            np.float32
        )
    given = (
        np.array([width, COUNT], np.uint32).tobytes()
        + a.tobytes()
        + b.tobytes()
        + c.tobytes()
        + floats.tobytes()
    )
    answer = run("half.cpp", standard, given)

    with np.errstate(all="ignore"):
        single_a, single_b = wide_a.astype(np.float32), wide_b.astype(np.float32)
        exact = floats.astype(np.float64)
        number_a, number_b = ~np.isnan(wide_a), ~np.isnan(wide_b)
        larger = np.where(number_a & number_b, np.maximum(wide_a, wide_b), np.where(number_a, wide_a, wide_b))
        smaller = np.where(
            number_a & number_b, np.minimum(wide_a, wide_b), np.where(number_a, wide_a, wide_b)
        )
        expected = [
            encode(exact),
            encode(exact * 1.0000001),
            encode(wide_a + wide_b),
            encode(wide_a - wide_b),
            encode(wide_a * wide_b),
            encode((single_a / single_b).astype(np.float64)),
            encode(wide_a * wide_b + wide_c),
            encode(wide_a * wide_b + wide_c),
            encode(larger),
            encode(smaller),
            a ^ 0x8000,
            a & 0x7FFF,
            encode(np.sqrt(single_a).astype(np.float64)),
            encode(np.floor(wide_b)),
            encode((wide_a < wide_b).astype(np.float64)),
            encode((~(wide_a < wide_b)).astype(np.float64)),
            encode(((wide_a != wide_b) & number_a & number_b).astype(np.float64)),
            *(directed(exact, encode(exact), width, mode) for mode in ("rz", "ru", "rd")),
        ]
    wide = np.frombuffer(answer[: 4 * COUNT], np.float32)
    assert np.array_equal(wide.view(np.uint32)[number_a], wide_a.astype(np.float32).view(np.uint32)[number_a])
    assert np.isnan(wide[~number_a]).all()
    found = np.frombuffer(answer[4 * COUNT :], np.uint16).reshape(-1, COUNT)
    assert len(found) == len(expected)
    for operation, (have, want) in enumerate(zip(found, expected, strict=True)):
        have_number, want_number = wide_of(have, width), wide_of(want, width)
        same = (have == want) | (np.isnan(have_number) & np.isnan(want_number))
        same |= (
            (have_number == 0) & (want_number == 0) & (operation in (8, 9))
        )  # numpy does not order -0 and +0
        wrong = np.flatnonzero(~same)
        assert len(wrong) == 0, (
            operation,
            len(wrong),
            [(hex(a[i]), hex(b[i]), hex(have[i]), hex(want[i])) for i in wrong[:5]],
        )
