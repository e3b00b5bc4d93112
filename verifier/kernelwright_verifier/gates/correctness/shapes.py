"""Shapes that a task does not declare: unit, prime and ragged values of one constant at a time."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_MOST_CONSTANTS = 3
_SMALLEST = 8  # what is smaller counts heads, channels of a kernel, dimensions: another value is another task
_PRIMES = (7, 31, 61, 127)


def other_shapes(sizes: Mapping[str, Any], declared: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, int]]:
    """Constants to change, the larger ones first: to 1, to a prime below their value, to one more than it."""
    scalars = {n: v for n, v in sizes.items() if type(v) is int and v > _SMALLEST}
    for name in sorted(scalars, key=lambda n: (-scalars[n], n))[:_MOST_CONSTANTS]:
        value = scalars[name]
        prime = max(p for p in _PRIMES if p < value)
        for other in (value + 1, prime, 1):
            if {name: other} not in declared:
                yield {name: other}
