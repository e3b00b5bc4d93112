"""Everything needed to verify a remembered kernel again: its text, its task, its headers, and the verdict that it was given.

A proof is named by the hash of its content, so that one that was changed is none.
"""

import json
import re
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from pydantic import Field, ValidationError

from kernelwright_backends.core.model import Model
from kernelwright_backends.core.target import Target
from kernelwright_backends.untrusted.plain_json import JsonError, read_json
from kernelwright_backends.untrusted.reading import read_text_bounded
from kernelwright_verifier.candidate.includes import ABSENT, Unbounded, included_files
from kernelwright_verifier.project.config import CompileSettings, Configuration, HackSettings, LimitSettings
from kernelwright_verifier.results.fingerprint import content_hash
from kernelwright_verifier.results.verdict import Verdict
from kernelwright_verifier.task.task import Task


class ProofError(ValueError):
    """A proof that does not hold; the message says why, in one line."""


class Proof(Model):
    """One kernel with all that its verdict rests on but the machine."""

    model_config = Model.model_config | {"serialize_by_alias": True}

    schema_version: Literal[1] = Field(1, alias="schema", validation_alias="schema")
    name: str = Field(description="of the kernel's file, without folders")
    text: str
    entry: str | None
    target: str
    task_name: str
    task_text: str
    declared: dict[str, Any] = Field(
        default_factory=dict, description="of the task, outside of its text: small, requires, shapes"
    )
    headers: dict[str, str] = Field(
        default_factory=dict, description="texts, by path from the kernel's folder"
    )
    missing: tuple[str, ...] = Field((), description="headers that lie elsewhere and were not taken along")
    hack: HackSettings = HackSettings()
    limits: LimitSettings = LimitSettings()
    define: tuple[str, ...] = ()
    std: str | None = None
    verdict: Verdict

    @classmethod
    def of(
        cls,
        path: Path,
        text: str,
        entry: str | None,
        target: Target,
        task: Task,
        configuration: Configuration,
        verdict: Verdict,
    ) -> "Proof":
        """Of a verdict that was just obtained. Include folders and flags of a workspace are not taken along: they would be
        another machine's.
        """
        headers, missing = _headers(path, text, configuration.compile.include)
        return cls(
            name=path.name,
            text=text,
            entry=entry,
            target=str(target),
            task_name=task.path.name,
            task_text=task.text,
            declared={
                "small": task.small,
                "requires": task.requires,
                "shapes": [dict(shape) for shape in task.shapes],
            },
            headers=headers,
            missing=missing,
            hack=configuration.hack,
            limits=configuration.limits,
            define=configuration.compile.define,
            std=configuration.compile.std,
            verdict=verdict.model_copy(update={"accesses": ()}),
        )

    @classmethod
    def read(cls, id: str, content: str) -> "Proof":
        """Read a proof and hold it to its name.

        Raises:
            ProofError: it is damaged, was changed, or is of another schema.
        """
        try:
            plain = read_json(content)
            if content_hash(plain) != id:
                raise ProofError("its content has changed since it was stored")
            return cls.model_validate(plain)
        except ValidationError as error:
            first = error.errors()[0]
            raise ProofError(f"{'.'.join(map(str, first['loc']))}: {first['msg'].lower()}") from None
        except JsonError as error:
            raise ProofError("it is not JSON" if str(error) == "no JSON" else str(error)) from None

    def written(self) -> tuple[str, str]:
        """Its name and its content."""
        plain = json.loads(self.model_dump_json(by_alias=True))
        return content_hash(plain), json.dumps(plain, sort_keys=True)

    @property
    def configuration(self) -> Configuration:
        """The settings that it was verified under."""
        compile_settings = CompileSettings(define=self.define, std=self.std)
        return Configuration(hack=self.hack, limits=self.limits, compile=compile_settings)

    def unpack(self, folder: Path) -> tuple[Path, Task]:
        """Write kernel, headers and task below an empty folder; the kernel's path, and the task.

        Raises:
            ProofError: a name in it leaves the folder, or what it declares of its task is nothing to declare.
            OSError: the folder cannot be written.
        """
        kernel = folder / "kernel"
        for name, text in {**self.headers, self.name: self.text}.items():
            pure = PurePosixPath(name)
            if pure.is_absolute() or ".." in pure.parts or not pure.name:
                raise ProofError(f"the file name '{name}' points outside of its folder")
            if not _is_source(pure):
                raise ProofError(f"'{name}' is not the name of a kernel file or header")
            (kernel / pure).parent.mkdir(parents=True, exist_ok=True)
            (kernel / pure).write_text(text, encoding="utf-8", newline="")
        return (kernel / self.name).resolve(), self._task(folder / "task")

    def _task(self, folder: Path) -> Task:
        small, requires, shapes = (self.declared.get(key) for key in ("small", "requires", "shapes"))
        try:
            return Task.model_validate(
                {
                    "path": folder / PurePosixPath(self.task_name).name,
                    "text": self.task_text,
                    "found_by": "argument",
                    "small": small,
                    "requires": requires or {},
                    "shapes": shapes or (),
                }
            )
        except ValidationError as error:
            raise ProofError(
                f"the declarations of its task are invalid: {error.errors()[0]['msg'].lower()}"
            ) from None


_SOURCES = frozenset(
    ("", *".cu .cuh .asc .c .cc .cpp .cxx .h .hh .hpp .hxx .inc .inl .ipp .tpp .def".split())
)
_PART = re.compile(r"[^\x00-\x1f\x7f]{1,200}")
# Files without an ending that say how something is built.
_BUILD = frozenset(("makefile", "gnumakefile", "build", "workspace"))


def _is_source(name: PurePosixPath) -> bool:
    """Whether a file of this name is only read where something includes it: no settings, no build, no task."""
    plain = all(_PART.fullmatch(part) and not part.startswith(".") for part in name.parts)
    return plain and name.suffix.lower() in _SOURCES and name.name.lower() not in _BUILD


def _headers(path: Path, text: str, folders: tuple[Path, ...]) -> tuple[dict[str, str], tuple[str, ...]]:
    headers: dict[str, str] = {}
    missing: list[str] = []
    try:
        found = [Path(f) for f, hash in included_files(path, text, folders).items() if hash != ABSENT]
    except Unbounded as reason:
        return {}, (str(reason),)
    for file in found:
        try:
            name = file.resolve().relative_to(path.parent.resolve()).as_posix()
            headers[name] = read_text_bounded(file)
        except (ValueError, OSError, UnicodeDecodeError):
            missing.append(file.name)
    return headers, tuple(missing)
