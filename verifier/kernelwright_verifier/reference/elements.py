"""Raw little-endian bytes of tensors as numpy arrays, for every element type that a task may have."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelwright_backends.core.kernel import ELEMENT_SIZE_BYTES

Buffer = bytes | bytearray | memoryview | NDArray[Any]

_FLOAT8 = {"float8_e4m3fn": (4, 3), "float8_e5m2": (5, 2)}
# torch name -> bits of mantissa, smallest exponent of a normal number, largest finite value
_FLOATING = {
    "float64": (52, -1022, 1.7976931348623157e308),
    "float32": (23, -126, 3.4028234663852886e38),
    "float16": (10, -14, 65504.0),
    "bfloat16": (7, -126, 3.3895313892515355e38),
    "float8_e4m3fn": (3, -6, 448.0),
    "float8_e5m2": (2, -14, 57344.0),
}


def is_floating(dtype: str) -> bool:
    """Whether `dtype`, torch's name without the prefix, is a floating-point type."""
    return dtype in _FLOATING


def half_ulp(dtype: str, value: float) -> float:
    """Half the distance between neighbours of a floating-point `dtype` at |value|."""
    mantissa, smallest, _ = _FLOATING[dtype]
    exponent = smallest if value == 0 else max(int(np.floor(np.log2(abs(value)))), smallest)
    return float(2.0 ** (exponent - mantissa - 1))


def half_ulps(dtype: str, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """`half_ulp` of each of finite values, in their shape."""
    mantissa, smallest, _ = _FLOATING[dtype]
    exponent = np.where(values == 0, smallest, np.maximum(np.frexp(values)[1] - 1, smallest))
    halves: NDArray[np.float64] = np.ldexp(1.0, exponent - mantissa - 1)
    return halves


def rounded(values: NDArray[np.float64], dtype: str) -> NDArray[np.float64]:
    """Values of a floating-point type in their shape, each the nearest to what was given."""
    return decoded(encoded(values, dtype), dtype).astype(np.float64).reshape(values.shape)


def decoded(data: Buffer, dtype: str) -> NDArray[Any]:
    """The elements of `data`, flat: bfloat16 and float8 as float32, all others in their own type.

    Raises:
        ValueError: unknown element type, or a length that is no multiple of its size.
    """
    if dtype not in ELEMENT_SIZE_BYTES:
        raise ValueError(f"unknown element type {dtype!r}")
    raw = np.frombuffer(
        data if not isinstance(data, np.ndarray) else np.ascontiguousarray(data).tobytes(), dtype=np.uint8
    )
    if raw.size % ELEMENT_SIZE_BYTES[dtype]:
        raise ValueError(f"{raw.size} bytes are not a whole number of {dtype} elements")
    if dtype == "bfloat16":
        return (raw.view("<u2").astype(np.uint32) << 16).view(np.float32)
    if dtype in _FLOAT8:
        return _float8_values(dtype)[raw]
    if dtype == "bool":
        return np.asarray(raw != 0)
    return raw.view(np.dtype(dtype).newbyteorder("<"))


def encoded(values: NDArray[Any], dtype: str) -> bytes:
    """The bytes of `values` in `dtype`, rounded to nearest even where it is narrower."""
    with np.errstate(over="ignore", invalid="ignore"):
        return _encoded(values, dtype)


def _encoded(values: NDArray[Any], dtype: str) -> bytes:
    if dtype == "bfloat16":
        bits = np.ascontiguousarray(values, dtype="<f4").reshape(-1).view("<u4")
        rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
        return np.where(np.isnan(values).reshape(-1), 0x7FC0, rounded).astype("<u2").tobytes()
    if dtype in _FLOAT8:
        return _float8_codes(np.asarray(values, dtype=np.float64), dtype).tobytes()
    if dtype == "bool":
        return np.asarray(values != 0, dtype=np.uint8).tobytes()
    return np.ascontiguousarray(values).astype(np.dtype(dtype).newbyteorder("<")).tobytes()


def convert(data: Buffer, source: str, target: str) -> bytes:
    """The same elements in another type, as C converts them."""
    return encoded(decoded(data, source), target)


@cache
def _float8_values(dtype: str) -> NDArray[np.float32]:
    exponent_bits, mantissa_bits = _FLOAT8[dtype]
    codes = np.arange(256)
    sign = np.where(codes & 0x80, -1.0, 1.0)
    exponent = (codes >> mantissa_bits) & ((1 << exponent_bits) - 1)
    mantissa = codes & ((1 << mantissa_bits) - 1)
    bias = (1 << (exponent_bits - 1)) - 1
    normal = (1 + mantissa / (1 << mantissa_bits)) * 2.0 ** (exponent - bias)
    subnormal = mantissa / (1 << mantissa_bits) * 2.0 ** (1 - bias)
    values = sign * np.where(exponent == 0, subnormal, normal)
    if dtype == "float8_e4m3fn":
        values[(codes & 0x7F) == 0x7F] = np.nan
    else:
        top = exponent == (1 << exponent_bits) - 1
        values = np.where(top, np.where(mantissa == 0, sign * np.inf, np.nan), values)
    return values.astype(np.float32)


def _float8_codes(values: NDArray[np.float64], dtype: str) -> NDArray[np.uint8]:
    table = _float8_values(dtype)[:128].astype(np.float64)
    finite = table[np.isfinite(table)]
    magnitude = np.abs(values)
    upper = np.clip(np.searchsorted(finite, magnitude), 1, finite.size - 1)
    below, above = magnitude - finite[upper - 1], finite[upper] - magnitude
    nearest = np.where((below < above) | ((below == above) & (upper % 2 == 1)), upper - 1, upper)
    codes = np.where(np.isnan(values), 0x7F, nearest)
    if dtype == "float8_e5m2":
        codes = np.where(magnitude > 61440.0, 0x7C, codes)
        codes = np.where(np.isnan(values), 0x7F, codes)
    return (codes | np.where(np.signbit(values), 0x80, 0)).astype(np.uint8)
