"""The rules for operator bundles: only the operator that the bundle itself defines may compute.

A kernel file that `kernelwright bundle import` wrote is one section of six. What Python and the binding do around it decides
whether the kernel's result is what the model returns, so they are read with it.
"""

from collections.abc import Iterator
from pathlib import Path

from kernelwright_backends.ascendc.operator_bundle.folder import folder_of, read_folder
from kernelwright_backends.ascendc.operator_bundle.route import route_of
from kernelwright_backends.core.finding import Finding, Range, finding
from kernelwright_backends.interfaces.operator_bundle import MANIFEST, BundleError
from kernelwright_backends.untrusted.reading import read_text_bounded


def findings_around(kernel: Path) -> Iterator[Finding]:
    """Findings in the sections around a kernel of an imported bundle, each in its file; none of any other kernel."""
    folder = folder_of(kernel)
    if folder is None:
        return
    try:
        imported = read_folder(folder)
        task = read_text_bounded(imported.task) if imported.task is not None else None
        route = route_of(imported.sections(), task)
    except (BundleError, OSError, UnicodeDecodeError) as error:
        message = f"the bundle's other sections cannot be parsed, so what they compute is unknown: {error}"
        yield finding("HACK_NO_KERNEL", message, str(folder / MANIFEST), data={"check": "artefact"})
        return
    for problem in route.hacks:
        at = Range(
            line=problem.line,
            column=problem.column,
            end_line=problem.end_line,
            end_column=max(problem.end_column, 1),
        )
        assert problem.code is not None
        file = str(imported.files[problem.section])
        yield finding(
            problem.code, problem.message, file, at, data={"check": "artefact", "section": problem.section}
        )
