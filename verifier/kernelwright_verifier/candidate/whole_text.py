"""What a candidate is written with: its own text, the headers of the workspace under it, its operator's host files."""

from collections.abc import Sequence
from pathlib import Path

from kernelwright_backends.core.registry import support_of
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
    projects = support_of(plan.index.dialect).operator_projects
    return projects.header_search(plan.candidate.path, folders) if projects is not None else None


def operator_files(plan: Plan) -> list[Path]:
    """The operator project around a kernel, in a dialect that has such projects."""
    projects = support_of(plan.index.dialect).operator_projects
    return projects.surrounding_files(plan.candidate.path) if projects is not None else []
