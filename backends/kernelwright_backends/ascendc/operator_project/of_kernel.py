"""The operator project around a kernel, as `OperatorProjects` has it."""

from collections.abc import Sequence
from pathlib import Path

from kernelwright_backends.ascendc.cpu.operator_headers import OperatorHeaders
from kernelwright_backends.ascendc.operator_project.project import read_project, surrounding_files
from kernelwright_backends.ascendc.operator_project.surroundings import built_for, other_chip
from kernelwright_backends.host.header_search import HeaderSearch

__all__ = ["built_for", "header_search", "other_chip", "read_project", "surrounding_files"]


def header_search(path: Path, folders: Sequence[Path]) -> HeaderSearch:
    """See `OperatorProjects.header_search`."""
    return OperatorHeaders(path, folders)
