"""What does not fit between an entry and its task: gathered, so that all of it is reported at once."""

from kernelwright_backends.core.finding import Finding, Range, finding
from kernelwright_backends.core.kernel import Function
from kernelwright_verifier.task.directive import Directive
from kernelwright_verifier.task.expression import ExpressionError


class Problems:
    """The `BIND_*` findings of one entry."""

    def __init__(self, entry: Function, directive: Directive | None, path: str) -> None:
        self._entry = entry
        self._directive = directive
        self._path = path
        self._findings: list[Finding] = []

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(self._findings)

    def add(self, code: str, message: str, at: Range, data: dict[str, object] | None = None) -> None:
        self._findings.append(finding(code, message, self._path, at, data=data))

    def of_expression(self, key: str, error: ExpressionError) -> None:
        """What cannot be evaluated in a value of the directive, where it stands there."""
        self.add("BIND_EXPRESSION", f"{key}: {error}", self.place(key, error.offset, error.length))

    def place(self, key: str, offset: int | None = None, length: int = 1) -> Range:
        """Of a value of the directive, or of the entry's name where there is no directive."""
        return self._directive.place(key, offset, length) if self._directive else self._entry.name_range
