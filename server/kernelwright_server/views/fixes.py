"""Quick fixes: preferred if they were verified, left out if they did not help."""

from lsprotocol import types

from kernelwright_backends.core.finding import Finding
from kernelwright_backends.core.fix import SuggestedFix
from kernelwright_backends.core.registry import fixes_of
from kernelwright_server.session.kernel_document import KernelDocument, fix_key
from kernelwright_server.views.diagnostics import SOURCE


def fix_actions(kernel: KernelDocument, diagnostic: types.Diagnostic) -> list[types.CodeAction]:
    """The fixes of the finding that a diagnostic shows."""
    if diagnostic.source != SOURCE:
        return []
    finding = _finding(kernel, diagnostic)
    if finding is None:
        return []
    found = []
    for fix in fixes_of(kernel.dialect, kernel.document.text, finding):
        helped = kernel.fixed.get(fix_key(kernel.document.text, finding, fix))
        if helped is False:
            continue
        found.append(
            types.CodeAction(
                title=fix.title if helped else f"{fix.title} (not verified)",
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[diagnostic],
                edit=_edit(kernel, fix),
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


def _edit(kernel: KernelDocument, fix: SuggestedFix) -> types.WorkspaceEdit:
    content = kernel.document.content
    edits = [
        types.TextEdit(
            range=types.Range(
                start=content.client_position(edit.range.line - 1, edit.range.column - 1),
                end=content.client_position(edit.range.end_line - 1, edit.range.end_column - 1),
            ),
            new_text=edit.text,
        )
        for edit in fix.edits
    ]
    return types.WorkspaceEdit(changes={kernel.uri: edits})
