"""A finding: one fact about a document, with its place."""

from typing import Any

from pydantic import Field

from kernelwright_backends.core.catalogue import CATALOGUE, Severity
from kernelwright_backends.core.model import Model

__all__ = ["START_OF_FILE", "STRAYS", "Finding", "Range", "Related", "Severity", "at_most", "finding"]

# Of accesses to memory that is not the kernel's: what lies beyond a device variable may be the host's.
STRAYS = ("MEM_OUT_OF_BOUNDS", "MEM_HOST_POINTER")


class Range(Model):
    """A stretch of a document. Lines and columns count from 1, columns in code points; the end is exclusive."""

    line: int = Field(ge=1)
    column: int = Field(ge=1)
    end_line: int = Field(ge=1)
    end_column: int = Field(ge=1)


START_OF_FILE = Range(line=1, column=1, end_line=1, end_column=1)


class Related(Model):
    """Another place that explains a finding: the allocation, the other access of a race, the barrier."""

    message: str
    path: str
    line: int
    column: int


class Finding(Model):
    """One located fact. `code` stands in the catalogue (`catalogue.py`) and in `docs/findings/CODE.md`."""

    code: str
    severity: Severity
    message: str
    path: str
    line: int = 1
    column: int = 1
    end_line: int = 1
    end_column: int = 1
    related: tuple[Related, ...] = ()
    data: dict[str, Any] = Field(default_factory=dict)

    @property
    def range(self) -> Range:
        return Range(line=self.line, column=self.column, end_line=self.end_line, end_column=self.end_column)


def finding(
    code: str,
    message: str,
    path: str,
    at: Range = START_OF_FILE,
    *,
    severity: Severity | None = None,
    related: tuple[Related, ...] = (),
    data: dict[str, Any] | None = None,
) -> Finding:
    """Make a finding whose severity, unless given, is the catalogue's.

    Raises:
        KeyError: `code` is not in the catalogue.
    """
    return Finding(
        code=code,
        severity=severity or CATALOGUE[code].severity,
        message=message,
        path=path,
        line=at.line,
        column=at.column,
        end_line=at.end_line,
        end_column=at.end_column,
        related=related,
        data=data or {},
    )


def at_most(findings: tuple[Finding, ...], most: int, where: str) -> tuple[Finding, ...]:
    """The first `most`, errors before all others, and one more that says how many are left out.

    Args:
        where: the end of its sentence.
    """
    if len(findings) <= most:
        return findings
    errors = [number for number, item in enumerate(findings) if item.severity is Severity.ERROR][:most]
    others = [number for number, item in enumerate(findings) if item.severity is not Severity.ERROR]
    kept = [findings[number] for number in sorted((*errors, *others[: most - len(errors)]))]
    last = kept[-1]
    more = finding(
        last.code,
        f"{len(findings) - most:,} more findings {where} are not shown",
        last.path,
        last.range,
        severity=Severity.INFORMATION,
        data={"left_out": len(findings) - most},
    )
    return (*kept, more)
