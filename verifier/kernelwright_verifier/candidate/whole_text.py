"""What a candidate is written with: its own text, the headers of the workspace under it, its operator's host files."""

from collections.abc import Sequence
from pathlib import Path

from kernelwright_backends.host.header_search import HeaderSearch
from kernelwright_backends.untrusted.reading import read_text_bounded
from kernelwright_verifier.candidate.includes import Unbounded, included_files
from kernelwright_verifier.task.plan import Plan


def whole_text(plan: Plan) -> str:
    """All of it in one string, for questions of what numbers stand in it; what cannot be read is left out."""
    candidate = plan.candidate
    folders = plan.configuration.compile.include
    try:
        included = included_files(candidate.path, candidate.text, folders, header_search(plan, folders))
    except Unbounded:
        included = {}
    files = {Path(name) for name in included}
    files.update(operator_files(plan))
    texts = [candidate.text]
    for file in sorted(files - {candidate.path}):
        try:
            texts.append(read_text_bounded(file, errors="replace"))
        except OSError:
            continue
    return "\n".join(texts)


def header_search(plan: Plan, folders: Sequence[Path]) -> HeaderSearch | None:
    """What finds the headers of this dialect's projects; None for what every one does."""
    if plan.index.dialect != "ascendc":
        return None
    from kernelwright_backends.ascendc.cpu.operator_headers import OperatorHeaders

    return OperatorHeaders(plan.candidate.path, folders)


def operator_files(plan: Plan) -> list[Path]:
    """Of a kernel of Ascend C, the operator project around it."""
    if plan.index.dialect != "ascendc":
        return []
    from kernelwright_backends.ascendc.operator_project.project import surrounding_files

    return surrounding_files(plan.candidate.path)
