"""Quick fixes made of repairs: preferred where the repair was verified, left out where it did not help."""

from lsprotocol import types

from kernelwright_backends.core.finding import Finding
from kernelwright_backends.core.fix import Mend
from kernelwright_backends.core.registry import mends_of
from kernelwright_server.features.fixes import mend_key
from kernelwright_server.session.kernel_document import KernelDocument
from kernelwright_server.views.diagnostics import SOURCE


def mend_actions(kernel: KernelDocument, diagnostic: types.Diagnostic) -> list[types.CodeAction]:
    """The repairs of the finding that a diagnostic shows."""
    if diagnostic.source != SOURCE:
        return []
    finding = _finding(kernel, diagnostic)
    if finding is None:
        return []
    found = []
    for mend in mends_of(kernel.dialect, kernel.document.text, finding):
        helped = kernel.mended.get(mend_key(kernel.document.text, finding, mend))
        if helped is False:
            continue
        found.append(
            types.CodeAction(
                title=mend.title if helped else f"{mend.title} (not verified)",
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[diagnostic],
                edit=_edit(kernel, mend),
                is_preferred=True if helped else None,
            )
        )
    return found


def _finding(kernel: KernelDocument, diagnostic: types.Diagnostic) -> Finding | None:
    """The finding of this very text and file; one of a header, or of an earlier text, has moved."""
    path = str(kernel.path)
    for plan in kernel.plans():
        outcome = kernel.outcome(plan)
        for finding in outcome.findings if outcome is not None else ():
            if (finding.code, finding.message, finding.path) == (diagnostic.code, diagnostic.message, path):
                return finding
    return None


def _edit(kernel: KernelDocument, mend: Mend) -> types.WorkspaceEdit:
    content = kernel.document.content
    edits = [
        types.TextEdit(
            range=types.Range(
                start=content.client_position(edit.range.line - 1, edit.range.column - 1),
                end=content.client_position(edit.range.end_line - 1, edit.range.end_column - 1),
            ),
            new_text=edit.text,
        )
        for edit in mend.edits
    ]
    return types.WorkspaceEdit(changes={kernel.uri: edits})
