"""Sizes as a user writes them, and what of a task's full size a candidate relies on (docs/development/verification.md, Sizes)."""

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping

from kernelwright_verifier.task import expression
from kernelwright_verifier.task.expression import ExpressionError

_ASSIGNMENT = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*(.+?)\s*$")


def parse_sizes(text: str) -> dict[str, int]:
    """Read `N=4096, D=64`.

    Raises:
        ValueError: not of that form; the message names the part.
    """
    sizes: dict[str, int] = {}
    for part in filter(str.strip, text.split(",")):
        match = _ASSIGNMENT.fullmatch(part)
        if match is None:
            raise ValueError(f"'{part.strip()}' is not of the form NAME=NUMBER; sizes look like N=4096, D=64")
        try:
            value = expression.evaluate(expression.parse(match[2]), dict(sizes))
        except ExpressionError as error:
            raise ValueError(f"'{part.strip()}': {error}") from None
        if not isinstance(value, int) or value < 0:
            raise ValueError(f"'{part.strip()}' must be a whole number of at least 0")
        sizes[match[1]] = int(value)
    return sizes


def format_sizes(sizes: Mapping[str, object]) -> str:
    """`N=4096, D=64`: the scalar constants only, as `parse_sizes` reads them."""
    return ", ".join(f"{name}={value}" for name, value in sizes.items() if isinstance(value, int))


_NUMBER = re.compile(r"(?<![\w.])(0[xX][0-9a-fA-F]+|\d+)(?:[uUlLzZ]*)(?![\w.])")
_SMALLEST = 8
_COMMENT_OR_STRING = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)


def integer_literals(text: str) -> set[int]:
    """The whole numbers that stand in C++ text outside of comments and strings."""
    stripped = _COMMENT_OR_STRING.sub(" ", text)
    return {
        int(number, 0) if not re.fullmatch(r"0\d+", number) else int(number, 8)
        for number in _numbers(stripped)
    }


def _numbers(text: str) -> Iterable[str]:
    for match in _NUMBER.finditer(text):
        number = match[1]
        if re.fullmatch(r"0\d+", number) and set(number) - set("01234567"):
            continue
        yield number


def literal_sizes(text: str, full: dict[str, object]) -> dict[str, int]:
    """Those of the task's full-size constants that stand as literals in a candidate's text."""
    literals = integer_literals(text)
    return {
        name: value
        for name, value in full.items()
        if isinstance(value, int) and value in literals and value > _SMALLEST
    }


def halved_sizes(full: Mapping[str, object]) -> Iterator[dict[str, int]]:
    """Full-size constants halved once, twice and so on, each as long as it stays a multiple of 128, the largest first: whatever
    divides the full ones, up to 128 and in their odd parts, divides these. Kernels that split their work evenly over cores
    rely on that."""
    numbers = {n: v for n, v in full.items() if isinstance(v, int) and not isinstance(v, bool) and v > 0}
    most = {name: max(0, (value & -value).bit_length() - 8) for name, value in numbers.items()}
    for times in range(1, max(most.values(), default=0) + 1):
        yield {name: value >> min(times, most[name]) for name, value in numbers.items()}


def smallest_sizes(reduced: Mapping[str, int], full: Mapping[str, object]) -> dict[str, int]:
    """`reduced` with each constant that is smaller there than in `full` as small as the rules of docs/development/verification.md make one."""
    return {
        name: _SMALLEST + size % _SMALLEST
        if isinstance(size := full.get(name), int) and size > value > _SMALLEST
        else value
        for name, value in reduced.items()
    }


def may_know_sizes(text: str, full: dict[str, object]) -> bool:
    """Whether a candidate's literals could encode a size of the task: they name one, or the product of two literals equals
    one. A candidate for which this is false is written for any size, and its failure at a reduced size is one."""
    literals = {n for n in integer_literals(text) if n > 1}
    pairs = {a * b for a, b in itertools.combinations_with_replacement(literals, 2)}
    return names_sizes(text, full) or bool(pairs & _of(full))


def names_sizes(text: str, full: dict[str, object]) -> bool:
    """Whether a literal of a candidate equals a size of the task or a product of two."""
    sizes = _of(full)
    products = {a * b for a, b in itertools.combinations_with_replacement(sizes, 2)}
    return bool(integer_literals(text) & (sizes | products))


def _of(full: dict[str, object]) -> set[int]:
    return {value for value in full.values() if isinstance(value, int) and value > _SMALLEST}
