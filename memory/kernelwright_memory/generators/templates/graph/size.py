"""Sizes as polynomials over the extents of the task's tensors, so that generated code never holds one as a literal."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from math import lcm


@dataclass(frozen=True, order=True)
class Atom:
    """A size that is not made of others by sums and products.

    `name` reads as in a directive: `x.shape[0]`, or for a quotient the whole expression. `value` is what it is at the
    sizes of the description; `quotient` is set for a floor division by a constant.
    """

    name: str
    value: int = field(compare=False)
    quotient: "tuple[Size, int] | None" = field(default=None, compare=False)


Monomial = tuple[Atom, ...]


@dataclass(frozen=True)
class Size:
    """A polynomial with rational coefficients whose value is a whole number."""

    terms: tuple[tuple[Monomial, Fraction], ...]

    @staticmethod
    def of(value: "int | Atom | Size") -> "Size":
        if isinstance(value, Size):
            return value
        if isinstance(value, Atom):
            return Size((((value,), Fraction(1)),))
        return Size((((), Fraction(value)),) if value else ())

    @staticmethod
    def _collect(terms: Iterable[tuple[Monomial, Fraction]]) -> "Size":
        sums: dict[Monomial, Fraction] = {}
        for monomial, factor in terms:
            sums[monomial] = sums.get(monomial, Fraction(0)) + factor
        return Size(tuple(sorted((m, f) for m, f in sums.items() if f)))

    def __add__(self, other: "int | Size") -> "Size":
        return Size._collect((*self.terms, *Size.of(other).terms))

    def __sub__(self, other: "int | Size") -> "Size":
        return self + Size.of(other) * -1

    def __mul__(self, other: "int | Size") -> "Size":
        return Size._collect(
            (tuple(sorted((*m, *n))), f * g) for m, f in self.terms for n, g in Size.of(other).terms
        )

    def over(self, divisor: "int | Size") -> "Size | None":
        """The exact quotient; None unless the divisor is one monomial that divides every term."""
        divisor = Size.of(divisor)
        if len(divisor.terms) != 1:
            return Size.of(1) if divisor == self and self.terms else None
        ((monomial, factor),) = divisor.terms
        terms = []
        for own, own_factor in self.terms:
            rest = list(own)
            for atom in monomial:
                if atom not in rest:
                    return None
                rest.remove(atom)
            terms.append((tuple(rest), own_factor / factor))
        return Size._collect(terms)

    def floor_divided(self, divisor: int) -> "Size":
        """The quotient rounded down, as an atom of its own."""
        if self.constant is not None:
            return Size.of(self.constant // divisor)
        if divisor == 1:
            return self.named()
        return Size.of(Atom(f"(({self.written()}) // {divisor})", self.value // divisor, (self, divisor)))

    def named(self) -> "Size":
        """The same as one atom, so that products with it stay short."""
        if len(self.terms) < 2:
            return self
        return Size.of(Atom(f"({self.written()})", self.value, (self, 1)))

    @property
    def value(self) -> int:
        """The value at the sizes of the description."""
        total = sum((f * reduce(lambda a, b: a * b.value, m, 1) for m, f in self.terms), Fraction(0))
        return int(total)

    @property
    def constant(self) -> int | None:
        """The value where it holds at every size, else None."""
        if not self.terms:
            return 0
        return int(self.terms[0][1]) if len(self.terms) == 1 and not self.terms[0][0] else None

    @property
    def atoms(self) -> tuple[Atom, ...]:
        return tuple(dict.fromkeys(atom for monomial, _ in self.terms for atom in monomial))

    def written(self, name: Callable[[Atom], str] | None = None, divide: str = "//") -> str:
        """An expression: of a directive, or of C++ with `divide='/'` and C++ names of the atoms."""
        name = name or (lambda atom: atom.name)
        if not self.terms:
            return "0"
        denominator = lcm(*(f.denominator for _, f in self.terms))
        text = ""
        # Positive terms first, so that no expression starts with a minus.
        for monomial, factor in sorted(self.terms, key=lambda term: (term[1] < 0, not term[0])):
            whole = int(factor * denominator)
            parts = [name(atom) for atom in monomial]
            if abs(whole) != 1 or not parts:
                parts.append(str(abs(whole)))
            text += (" - " if whole < 0 else " + ") + " * ".join(parts)
        text = "-" + text[3:] if text.startswith(" - ") else text[3:]
        if denominator == 1:
            return text
        return f"{text} {divide} {denominator}" if " " not in text else f"({text}) {divide} {denominator}"


def product(sizes: Iterable[Size]) -> Size:
    return reduce(lambda a, b: a * b, sizes, Size.of(1))


def contiguous(shape: tuple[Size, ...]) -> tuple[Size, ...]:
    """Strides, in elements, of a tensor without gaps."""
    strides, step = [], Size.of(1)
    for extent in reversed(shape):
        strides.append(step)
        step = step * extent
    return tuple(reversed(strides))
