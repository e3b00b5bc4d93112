"""The lenses of a document: the same number for each kernel and host entry, so that lines do not move."""

from typing import Any

from lsprotocol import types

from kernelwright_backends.core.registry import support_of
from kernelwright_server.session.kernel_document import KernelDocument
from kernelwright_server.views.diagnostics import to_range
from kernelwright_server.views.verdicts import status_line
from kernelwright_verifier.task.plan import Plan


def lenses(kernel: KernelDocument, *, trusted: bool, running: bool) -> list[types.CodeLens]:
    """Draft | Refine | verdict on each kernel, each host entry, and each directive whose entry is yet to be written.

    Args:
        running: a verification of this document runs.
    """
    found: list[types.CodeLens] = []
    for function in kernel.lens_functions():
        plan = kernel.plan_of(function)
        name = (plan.entry_name if plan is not None else None) or function.qualified_name
        at = to_range(function.name_range, kernel.document)
        found += _three(kernel, plan, name, at, trusted=trusted, running=running)
    for plan in kernel.plans():
        if plan.entry is None and plan.entry_name is not None and plan.directive is not None:
            at = to_range(plan.directive.range, kernel.document)
            found += _three(kernel, plan, plan.entry_name, at, trusted=trusted, running=running)
    return found


def _three(
    kernel: KernelDocument, plan: Plan | None, entry: str, at: types.Range, *, trusted: bool, running: bool
) -> list[types.CodeLens]:
    shown = kernel.settings.lenses
    argument: dict[str, Any] = {"uri": kernel.uri, "entry": entry}
    outcome = kernel.outcome(plan) if plan is not None else None
    again = outcome is not None and outcome.verdict is not None and outcome.verdict.feasible is False
    status = status_line(kernel, plan, trusted=trusted, running=running)
    titles = [
        ("Draft again" if again and plan is not None and not plan.stub else "Draft", "draft", shown.draft),
        ("Refine", "refine", shown.refine),
        (status, "verify", shown.verdict),
    ]
    if support_of(kernel.dialect).assembler is not None:
        titles.append(("PTX", "assembly", shown.assembly))
    return [
        types.CodeLens(
            range=at, command=types.Command(title=title, command=f"kernelwright.{verb}", arguments=[argument])
        )
        for title, verb, wanted in titles
        if wanted
    ]
