"""Libraries that the project allows and a CPU target cannot execute: the kernel is not judged."""

import re
from collections.abc import Sequence

from kernelwright_backends.core.finding import Finding, Range, Severity, finding
from kernelwright_backends.core.registry import support_of
from kernelwright_backends.core.target import Target
from kernelwright_backends.interfaces.build import Symbols
from kernelwright_verifier.gates.hack.object import names_library
from kernelwright_verifier.gates.hack.text import library_of
from kernelwright_verifier.task.plan import Plan

_MISSING_HEADER = re.compile(r"^(?P<file>\S+): No such file or directory\b")


def beyond_target(plan: Plan, findings: Sequence[Finding], symbols: Symbols | None) -> tuple[Finding, ...]:
    """One finding for each allowed library on which the build failed, or which the object needs at its run."""
    if plan.target.where != "cpu":
        return ()
    path = str(plan.candidate.path)
    found: dict[str, Finding] = {}
    for error in findings:
        library = _library_of(plan, error) if error.severity is Severity.ERROR else None
        if library is not None:
            at = Range.model_validate(error.model_dump(include=set(Range.model_fields)))
            found.setdefault(library, finding("ENV_TARGET", _message(plan.target, library), error.path, at))
    if any(f.severity is Severity.ERROR for f in findings):
        return tuple(found.values())
    for symbol in symbols.undefined if symbols is not None else ():
        name = symbol.split("@", 1)[0]
        library = next((a for a in plan.configuration.hack.allow if name.lower().startswith(a.lower())), None)
        if library is not None and names_library(name):
            entry = [plan.entry.name_range] if plan.entry else []
            found.setdefault(
                library, finding("ENV_TARGET", _message(plan.target, library, name), path, *entry)
            )
    return tuple(found.values())


def _library_of(plan: Plan, error: Finding) -> str | None:
    """The allowed library that a finding of the compiler is about."""
    feature = str(error.data.get("feature", "")) if error.code == "UNSUPPORTED_CUDA" else ""
    names = (name.lower().split("::", 1)[0] for name in plan.configuration.hack.allow)
    if feature and any(name in feature.lower() for name in names):
        return feature
    header = _MISSING_HEADER.match(error.message)
    library, allowed = (library_of(plan, header["file"]) if header else None) or ("", False)
    return library if allowed else None


def _message(target: Target, library: str, symbol: str = "") -> str:
    device = target.model_copy(update={"where": support_of(target.dialect).device})
    needed = f" ({symbol})" if symbol else ""
    return (
        f"{target} cannot execute {library}{needed}, which [hack] allow permits, so the kernel is not judged. "
        f"Verify it on the target {device}"
    )
