"""An operator written as one text of six sections: the text, what its sections say together, the folder that it was written to."""

import bisect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from kernelwright_backends.core.finding import Finding
from kernelwright_backends.untrusted.reach import Reach

SECTIONS = (
    "project_json_src",
    "host_tiling_src",
    "host_operator_src",
    "kernel_src",
    "python_bind_src",
    "model_src",
)
MANIFEST = "artefact.json"


class BundleError(ValueError):
    """What was given is no bundle that can be read; the message names thing, place and remedy.

    `line` counts from 1 in the bundle's text; None where the whole is meant.
    """

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True)
class Section:
    """One section: its value, and where it stands in the bundle's text."""

    name: str
    value: str
    begin: int  # of the expression behind `=`, in code points
    end: int
    offsets: tuple[int, ...]  # of every character of the value in the bundle's text


class OperatorBundle:
    """The text and its six sections."""

    def __init__(self, text: str, sections: Mapping[str, Section]) -> None:
        self.text = text
        self.sections = dict(sections)
        self._starts = [0, *(m.end() for m in re.finditer(r"\r\n|\r|\n", text))]

    def __getitem__(self, name: str) -> str:
        return self.sections[name].value

    def place(self, name: str, line: int, column: int) -> tuple[int, int]:
        """Line and column in the bundle of a place in a section; all count from 1."""
        section = self.sections[name]
        lines = section.value.split("\n")
        line = min(max(line, 1), len(lines))
        at = sum(len(before) + 1 for before in lines[: line - 1]) + min(column - 1, len(lines[line - 1]))
        if at < len(section.offsets):
            offset = section.offsets[at]
        else:
            offset = section.offsets[-1] + 1 if section.offsets else section.begin
        number = bisect.bisect_right(self._starts, offset)
        return number, offset - self._starts[number - 1] + 1

    def with_sections(self, values: Mapping[str, str]) -> str:
        """The text with other values: a section whose value is the same keeps its spelling, and all else stays to the byte."""
        made, end = [], 0
        for section in sorted(self.sections.values(), key=lambda s: s.begin):
            value = values.get(section.name, section.value)
            if value == section.value:
                continue
            made += [self.text[end : section.begin], spelled(value)]
            end = section.end
        return "".join((*made, self.text[end:]))


def spelled(value: str) -> str:
    """A literal of the value, over several lines as people write code."""
    for quote in ("'''", '"""'):
        if quote in value or value.endswith(quote[0]) or "\r" in value or "\0" in value:
            continue
        if "\\" not in value:
            return f"{quote}{value}{quote}"
        return f"r{quote}{value}{quote}" if not value.endswith("\\") else repr(value)
    escaped = (
        value.replace("\\", "\\\\").replace('"""', '\\"\\"\\"').replace("\r", "\\r").replace("\0", "\\0")
    )
    if escaped.endswith('"'):
        escaped = escaped[:-1] + '\\"'
    return f'"""{escaped}"""'


@dataclass(frozen=True)
class Problem:
    """A finding-to-be at a place of one section; lines and columns count from 1 in the section, columns in code points.

    Without a code it is the reason why the section cannot be followed, which flags nobody.
    """

    section: str
    message: str
    line: int = 1
    column: int = 1
    end_line: int = 1
    end_column: int = 2
    code: str | None = None


@dataclass(frozen=True)
class TensorPrototype:
    name: str
    elements: tuple[str, ...]  # as torch names them; empty where the text says none that is known
    optional: bool


@dataclass(frozen=True)
class AttributePrototype:
    name: str
    type: str
    required: bool


@dataclass(frozen=True)
class Prototype:
    """One operator: name in CamelCase, tensors and attributes in the order of `aclnn<name>`."""

    name: str
    inputs: tuple[TensorPrototype, ...]
    outputs: tuple[TensorPrototype, ...]
    attributes: tuple[AttributePrototype, ...]

    @property
    def file_name(self) -> str:
        """The name in snake case, as msopgen names the files and the kernel: AddCustom -> add_custom."""
        parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", self.name)
        return parted.lower()


@dataclass(frozen=True)
class Signature:
    """Names of a task: the parameters of `Model.forward` and of `Model.__init__`, without self."""

    forward: tuple[str, ...]
    init: tuple[str, ...]


@dataclass
class Route:
    """What a bundle's sections say together."""

    prototype: Prototype
    entry: str
    args: str | None = None  # of a directive; None where it cannot be said
    tiling: str | None = None
    hacks: tuple[Problem, ...] = ()  # findings of the hack gate
    mistakes: tuple[Problem, ...] = ()  # what could not work on a device either
    unclear: tuple[Problem, ...] = ()  # why it cannot be said what the kernel is given
    notes: tuple[str, ...] = field(default=())


@dataclass(frozen=True)
class ImportedBundle:
    """A folder that a bundle was imported to."""

    folder: Path
    artefact: OperatorBundle  # as it came
    files: Mapping[str, Path]  # section -> file
    task: Path | None

    def sections(self) -> dict[str, str]:
        """Every section as its file has it now.

        Raises:
            ArtefactError: a file is gone, or is no text.
        """
        found = {}
        for name, file in self.files.items():
            try:
                found[name] = Reach(self.folder / MANIFEST).read(file).decode()
            except (OSError, UnicodeDecodeError) as error:
                raise BundleError(f"{name}: {file} cannot be read ({_reason(error)})") from None
        return found

    def exported(self) -> str:
        """The bundle with what the files hold now; what was not changed is as it came, to the byte.

        Raises:
            ArtefactError: as `sections`.
        """
        return self.artefact.with_sections(self.sections())


def _reason(error: Exception) -> str:
    return error.strerror or "unreadable" if isinstance(error, OSError) else "not UTF-8"


class OperatorBundles(Protocol):
    """Of a dialect whose operators are written so."""

    def read_bundle(self, text: str) -> OperatorBundle:
        """Read a bundle; nothing of it is executed.

        Raises:
            BundleError: a section is missing, stands twice, or is no literal; the text is no Python.
        """
        ...

    def signature_of(self, task: str) -> Signature | None:
        """The names of a KernelBench task; None where it has no class Model with a forward."""
        ...

    def route_of(self, sections: Mapping[str, str], task: str | None) -> Route:
        """Follow the sections; `task` is the text of the task, None where there is none.

        Raises:
            BundleError: a section cannot be read.
        """
        ...

    def layout(self, sections: Mapping[str, str]) -> dict[str, str]:
        """Section -> path in the folder.

        Raises:
            BundleError: `project_json_src` cannot be read.
        """
        ...

    def write_folder(
        self, folder: Path, artefact: OperatorBundle, route: Route, task: Path | None
    ) -> ImportedBundle:
        """Write the bundle as an operator project.

        Raises:
            BundleError: the folder is there already and holds something, or is a link; a section cannot be read.
            OSError: it cannot be written.
        """
        ...

    def read_folder(self, folder: Path) -> ImportedBundle:
        """The bundle that a folder was imported from.

        Raises:
            BundleError: the folder is no such project.
        """
        ...

    def findings_around(self, kernel: Path) -> Iterator[Finding]:
        """What the hack gate says of the sections around a kernel file of an imported bundle; nothing of any other file."""
        ...
