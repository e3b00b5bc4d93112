"""What g++ says of a rewritten CUDA candidate: features that are not executed here, and names of PyTorch, are called so."""

import re

from kernelwright_backends.core.finding import Finding
from kernelwright_backends.cuda.cpu.analysis.unsupported import (
    explain,
    explain_maskless,
    feature_of_message,
    maskless_of_message,
    missing_names,
)
from kernelwright_backends.cuda.cpu.frontend.torch_headers import missing_header
from kernelwright_backends.cuda.cpu.report.broken_launches import broken_launches
from kernelwright_backends.cuda.cpu.rewriting.inline_ptx import UNSUPPORTED_MARK
from kernelwright_backends.host import gxx_diagnostics as gxx
from kernelwright_backends.host.gxx_diagnostics import UNPLACED, Meaning
from kernelwright_backends.host.places import Places
from kernelwright_backends.host.torch_names import misses_torch

# How shim/kernelwright/operator.h marks the text of an operator.
_ELEMENT = re.compile(r"not an element type of PyTorch.*$")  # a static assertion of the shim's
_OPERATOR = re.compile(r"is (?:unavailable|deprecated): kernelwright-operator: (.*)$")
_UNSUPPORTED = re.compile(rf"declared with attribute error: {UNSUPPORTED_MARK}(.*)$")


def compiler_findings(stderr: str, places: Places) -> list[Finding]:
    """Findings of one run of g++ with -fdiagnostics-format=json."""
    return broken_launches(
        _without_consequences(gxx.compiler_findings(stderr, places, _error, _operator)), places
    )


def plain_findings(stderr: str, places: Places) -> list[Finding]:
    """The errors of a run of g++ that says them in plain text."""
    return _without_consequences(gxx.plain_findings(stderr, places, _error))


def _without_consequences(found: list[Finding]) -> list[Finding]:
    """Where something is not executed here, each such thing once and nothing that only follows from it."""
    of_torch = {(f.path, f.line) for f in found if f.code == "UNSUPPORTED_TORCH"}
    if of_torch:
        found = [
            f
            for f in found
            if f.code != "COMPILE_ERROR" or (UNPLACED not in f.data and (f.path, f.line) not in of_torch)
        ]
    if not any(f.code == "UNSUPPORTED_CUDA" for f in found):
        return found
    kept: list[Finding] = []
    reported: set[str] = set()
    for item in found:
        if item.code == "UNSUPPORTED_CUDA":
            feature = str(item.data["feature"])
            if feature in reported and not feature.startswith("inline PTX"):
                continue
            reported.add(feature)
        elif item.code == "COMPILE_ERROR":
            continue
        kept.append(item)
    return kept


def _error(message: str, places: Places) -> Meaning | None:
    unsupported = _UNSUPPORTED.search(message)
    feature = unsupported[1] if unsupported else feature_of_message(message)
    maskless = maskless_of_message(message)
    if maskless:
        return Meaning("COMPILE_ERROR", explain_maskless(maskless), {"maskless": maskless})
    if feature:
        return Meaning("UNSUPPORTED_CUDA", explain(feature), {"feature": feature})
    if operator := _operator(message, places):
        return operator
    if (element := _ELEMENT.search(message)) is not None:
        return Meaning("COMPILE_ERROR", f"data_ptr<T>(): {element[0]}")
    if header := missing_header(missing_names(message), (file.original for file in places.files.values())):
        said = f"{message}; <{header}> declares it and is not part of <torch/extension.h>, so include it"
        return Meaning("COMPILE_ERROR", said, {"header": header})
    return Meaning("UNSUPPORTED_TORCH", message) if misses_torch(message) else None


def _operator(message: str, places: Places) -> Meaning | None:
    """As an error, or, where nothing is run that could take it for a kernel's work, as a warning."""
    operator = _OPERATOR.search(message)
    return Meaning("HACK_OPERATOR", operator[1]) if operator else None
