"""Sizes as polynomials over the extents of the task's tensors, so that generated code never holds one as a literal."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from math import lcm


@dataclass(frozen=True, order=True)
class Atom:
    """A size that is not made of others by sums and products.

    `name` reads as in a directive: `x.shape[0]`, a number of the task, or for a quotient the whole expression. `value` is what
    it is at the sizes of the description; `quotient` is set for a floor division by a constant, and for an exact one by an atom.
    """

    name: str
    value: int = field(compare=False)
    quotient: "tuple[Size, int | Atom] | None" = field(default=None, compare=False)


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
        other = Size.of(other)
        terms = [(tuple(sorted((*m, *n))), f * g) for m, f in self.terms for n, g in other.terms]
        while (place := next((i for i, (m, _) in enumerate(terms) if _parted(m)), None)) is not None:
            # A quotient times its divisor is what was divided.
            monomial, factor = terms.pop(place)
            whole, rest = _parted(monomial) or (Size.of(0), ())
            terms += ((Size(((rest, factor),))) * whole).terms
        return Size._collect(terms)

    def over(self, divisor: "int | Size") -> "Size | None":
        """The exact quotient, None where there is none."""
        divisor = Size.of(divisor)
        if len(divisor.terms) != 1:
            return self._divided(divisor)
        ((monomial, factor),) = divisor.terms
        for atom in monomial:
            if atom.quotient is not None and isinstance(atom.quotient[1], Atom):
                whole, by = atom.quotient
                if not all(atom in own for own, _ in self.terms) and len(whole.terms) == 1:
                    rest = list(monomial)
                    rest.remove(atom)
                    return (self * Size.of(by)).over(Size(((tuple(rest), factor),)) * whole)
        terms = []
        for own, own_factor in self.terms:
            rest = list(own)
            for atom in monomial:
                if atom not in rest:
                    return None
                rest.remove(atom)
            terms.append((tuple(rest), own_factor / factor))
        return Size._collect(terms)

    def _divided(self, divisor: "Size") -> "Size | None":
        """Division of polynomials, leading terms first; None where something is left over."""

        def leading(size: Size) -> Size:
            return Size((max(size.terms, key=lambda term: (len(term[0]), term[0])),))

        rest, result = self, Size(())
        while rest.terms and divisor.terms:
            part = leading(rest).over(leading(divisor))
            smaller = rest - part * divisor if part is not None else rest
            if part is None or len(smaller.terms) > len(rest.terms) + len(divisor.terms) - 2:
                return None
            rest, result = smaller, result + part
        return result if divisor.terms else None

    def floor_divided(self, divisor: int) -> "Size":
        """The quotient rounded down, as an atom of its own."""
        if self.constant is not None:
            return Size.of(self.constant // divisor)
        if divisor == 1:
            return self.named()
        return Size.of(Atom(f"(({self.written()}) // {divisor})", self.value // divisor, (self, divisor)))

    def parted(self, count: "Size") -> "Size | None":
        """A count-th of it, where it is known to be a multiple; None of a count that is neither a constant nor one atom."""
        exact = self.over(count)
        if exact is not None or count.constant is not None:
            return exact
        if count != Size.of(count.atoms[0]):
            return None
        (atom,) = count.atoms
        whole = f"({self.written()})" if len(self.terms) > 1 else self.written()
        return Size.of(Atom(f"({whole} // {atom.name})", self.value // atom.value, (self, atom)))

    def named(self) -> "Size":
        """The same as one atom, so that products with it stay short."""
        if len(self.terms) < 2:
            return self
        return Size.of(Atom(f"({self.written()})", self.value, (self, 1)))

    def spelt(self) -> "Size":
        """The same without names of sums."""
        total = Size(())
        for monomial, factor in self.terms:
            part = Size.of(1)
            for atom in monomial:
                named = atom.quotient is not None and atom.quotient[1] == 1
                part = part * (
                    atom.quotient[0].spelt() if named and atom.quotient is not None else Size.of(atom)
                )
            total = total + Size._collect((m, f * factor) for m, f in part.terms)
        return total

    @property
    def value(self) -> int:
        """The value at the sizes of the description."""
        total = sum((f * reduce(lambda a, b: a * b.value, m, 1) for m, f in self.terms), Fraction(0))
        return int(total)

    def valued(self, extent: "Callable[[Atom], int | None]") -> int | None:
        """The value where atoms that are no quotients have others; None where one has none."""
        total = Fraction(0)
        for monomial, factor in self.terms:
            for atom in monomial:
                value = extent(atom)
                if value is None and atom.quotient is not None:
                    whole, by = atom.quotient
                    inner = whole.valued(extent)
                    divisor = by if isinstance(by, int) else extent(by)
                    value = inner // divisor if inner is not None and divisor else None
                if value is None:
                    return None
                factor *= value
            total += factor
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

    def leaves(self) -> list[Atom]:
        """The atoms that it is computed from: no quotients, but what they are made of."""
        found: list[Atom] = []
        for atom in self.atoms:
            if atom.quotient is None:
                found.append(atom)
                continue
            whole, by = atom.quotient
            found += [*whole.leaves(), *([by] if isinstance(by, Atom) else [])]
        return list(dict.fromkeys(found))

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


def _parted(monomial: Monomial) -> tuple[Size, Monomial] | None:
    """A quotient of a monomial beside its divisor: what was divided, and the other atoms."""
    for atom in monomial:
        if atom.quotient is not None and atom.quotient[1] in monomial:
            whole, by = atom.quotient
            rest = list(monomial)
            rest.remove(atom)
            rest.remove(by)  # type: ignore[arg-type]
            return whole, tuple(rest)
    return None


def product(sizes: Iterable[Size]) -> Size:
    return reduce(lambda a, b: a * b, sizes, Size.of(1))


def contiguous(shape: tuple[Size, ...]) -> tuple[Size, ...]:
    """Strides, in elements, of a tensor without gaps."""
    strides, step = [], Size.of(1)
    for extent in reversed(shape):
        strides.append(step)
        step = step * extent
    return tuple(reversed(strides))
