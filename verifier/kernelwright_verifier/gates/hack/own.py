"""Level `own` of the hack gate: a person's own file, of which only what the entry reaches matters, and which is warned, not refused.

A file that somebody else hands in as a candidate is judged as a whole (`strict`). A project's own file holds much beside its kernel:
branches for other compilers, host functions that test and time it, headers shared with others.
"""

import re
from collections.abc import Iterable, Iterator

from kernelwright_backends.core.finding import Finding, Range, Severity
from kernelwright_backends.core.kernel import Function
from kernelwright_verifier.gates.hack.branches import lines_left_out
from kernelwright_verifier.gates.hack.places import code_of, line_starts, range_of, without_strings
from kernelwright_verifier.task.plan import Plan

_VALUE = re.compile(r"(\w+)(?:=(-?\d+))?")
_INCLUDE = re.compile(r"#[ \t]*include[ \t]*[<\"](?P<folder>[A-Za-z]+)")


def is_own(plan: Plan) -> bool:
    """Whether the file is judged as the person's own."""
    return plan.configuration.hack.level == "own"


def as_warnings(plan: Plan, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings as the level wants them: under `own` none refuses, but that an entry is still to be written."""
    if not is_own(plan):
        return tuple(findings)
    return tuple(
        f.model_copy(update={"severity": Severity.WARNING})
        if f.severity is Severity.ERROR and not f.data.get("stub")
        else f
        for f in findings
    )


def in_reached_text(plan: Plan, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Of what the text shows: what stands in code that the entry reaches, or outside of functions in branches that are taken."""
    reached = _Reached(plan)
    return tuple(f for f in findings if reached.holds(f))


def in_reached_object(plan: Plan, findings: Iterable[Finding]) -> Iterator[Finding]:
    """Of what the linked object shows: what the entry's own code names. An object holds the whole file and its headers."""
    reached = _Reached(plan)
    for f in findings:
        name = f.data.get("library") or f.data.get("symbol")
        if not name:
            if f.code == "HACK_NO_KERNEL":
                yield f
        elif (at := reached.mention(str(name))) is not None:
            yield f.model_copy(update=at.model_dump())


class _Reached:
    """The code of a candidate that its entry reaches."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        index, text = plan.index, plan.candidate.text
        every = (*index.functions, *index.kernels)
        reached = index.reached_from(plan.entry.qualified_name) if plan.entry is not None else every
        self._functions: tuple[Function, ...] = tuple(reached)
        self._within = _lines(reached)
        self._elsewhere = _lines(every) - self._within
        defined = {
            m[1]: int(m[2] or 1) for d in plan.configuration.compile.define if (m := _VALUE.fullmatch(d))
        }
        self._left_out = lines_left_out(without_strings(text), defined)
        self._lines = code_of(text).split("\n")

    def holds(self, f: Finding) -> bool:
        if f.path != str(self._plan.candidate.path):
            return True
        if f.line in self._elsewhere or f.line in self._left_out:
            return False
        return f.code != "HACK_LIBRARY" or f.line in self._within or self._uses_library(f.line)

    def _uses_library(self, line: int) -> bool:
        """Whether the entry's code has a name that begins like the library that a line includes."""
        match = _INCLUDE.search(self._lines[line - 1]) if line <= len(self._lines) else None
        if match is None:
            return True
        word = re.compile(rf"\b{match['folder']}", re.IGNORECASE)
        return any(word.search(self._lines[n - 1]) for n in self._within if n <= len(self._lines))

    def mention(self, name: str) -> Range | None:
        """Where the entry's code has a name, which may be mangled; None where it has not."""
        word = name.rsplit("::", 1)[-1]
        found = re.match(r"_Z\w*?(?P<length>\d+)", word)
        if found is not None:
            length = int(found["length"])
            word = word[found.end() : found.end() + length] or word
        text, code = self._plan.candidate.text, without_strings(self._plan.candidate.text)
        starts = line_starts(text)
        for function in self._functions:
            begin, end = function.range.line, min(function.range.end_line, len(starts) - 1)
            match = re.compile(rf"\b{re.escape(word)}\b").search(code, starts[begin - 1], starts[end])
            if match is not None and function.name != word:
                return range_of(text, match.start(), match.end())
        return None


def _lines(functions: Iterable[Function]) -> frozenset[int]:
    return frozenset(n for f in functions for n in range(f.range.line, f.range.end_line + 1))
