"""How many elements of each buffer an entry takes, as a product of its sizes: solved from what it touched at two of them."""

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

_FACTORS = ((1, 1), (2, 1), (3, 1), (4, 1), *((1, 1 << power) for power in range(1, 13)))
_MOST_NAMES = 6
_MOST_FACTORS = 4


class Product(NamedTuple):
    """So many elements: `times` the product of the sizes of these names, in parts of `per`."""

    times: int
    per: int
    names: tuple[str, ...]

    def at(self, sizes: Mapping[str, int]) -> int:
        """The number of elements at these sizes, at least one."""
        return max(-(-self.times * math.prod(sizes[name] for name in self.names) // self.per), 1)


def product_of_sizes(touched: Sequence[int], sizes: Sequence[Mapping[str, int]]) -> Product | None:
    """The simplest product that is the number of elements touched at each of several sizes; None where there is none, or where
    several that are as simple would do.

    Args:
        touched: the last element touched, plus one, at each of `sizes`.
    """
    if len(set(touched)) == 1:
        return Product(touched[0], 1, ())
    names = list(sizes[0])[:_MOST_NAMES]
    for times, per in _FACTORS:
        for count in range(1, _MOST_FACTORS + 1):
            found = [
                product
                for chosen in itertools.combinations_with_replacement(names, count)
                if all(chosen.count(name) <= 2 for name in chosen)
                for product in (Product(times, per, chosen),)
                if all(product.at(at) == extent for extent, at in zip(touched, sizes, strict=True))
            ]
            if found:
                return found[0] if len(found) == 1 else None
    return None
