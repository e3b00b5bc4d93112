"""`kernelwright.toml`, the nearest one upwards (contracts.md section 8)."""

import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, ValidationError

from kernelwright_backends.finding import Finding, Range, finding
from kernelwright_backends.foreign import Unparsable, parse_toml
from kernelwright_backends.model import Model
from kernelwright_backends.reading import CONFIGURATION_BYTES, read_text_bounded
from kernelwright_backends.target import Target

FILE_NAME = "kernelwright.toml"

_MOST_MISTAKES = 32


def _target(text: str) -> str:
    if text != "auto":
        Target.parse(text)
    return text


def _listed_target(text: str) -> str:
    Target.parse(text)
    return text


class ReferenceSettings(Model):
    interpreter: Path | None = Field(None, description="a Python that has torch")


class CompileSettings(Model):
    include: tuple[Path, ...] = ()
    define: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    std: str | None = None


class HackSettings(Model):
    level: Literal["strict", "standard", "off"] = "standard"
    allow: tuple[str, ...] = ()
    auditor: str = Field("", description="a model that is asked last whether the candidate computes the task")


class LimitSettings(Model):
    time_s: float = Field(20.0, gt=0, le=3600)
    memory_mb: int = Field(4096, ge=64)
    jobs: int = Field(0, ge=0, description="0: as many as cores")


class AgentSettings(Model):
    policy: Literal["none", "similarity", "evokernel", "default"] = "default"
    generator: str = Field(
        "", description="a litellm model, 'templates', or empty: what is there, in the usual order"
    )
    steps: int = Field(30, ge=1)
    budget_usd: float = Field(1.0, ge=0)


class MemorySettings(Model):
    uri: str | None = None


class FindingSettings(Model):
    ignore: tuple[str, ...] = ()
    min_gain: float = Field(
        0.1, ge=0, description="share of the latency that a performance lint must save to be shown"
    )


class TaskSettings(Model):
    """`[[task]]`: which files an entry of the configuration speaks of, and what a directive would say."""

    files: str = Field(description="glob, relative to the configuration file")
    entry: str | None = None
    task: Path | None = None
    args: str | None = None
    grid: str | None = None
    block: str | None = None
    smem: str | None = None
    block_dim: str | None = None
    tiling: str | None = None
    size: str | None = None
    small: dict[str, int] | None = None
    requires: dict[str, str] = Field(default_factory=dict)
    shapes: tuple[dict[str, int], ...] = ()


class CacheSettings(Model):
    """What is kept of earlier verifications."""

    verdicts_mb: int = Field(256, ge=0, description="of all verdicts together; 0: none are kept or read")


class Configuration(Model):
    """Everything that a workspace may say. Unknown keys are findings."""

    target: Annotated[str, AfterValidator(_target)] = Field(
        "auto", description="where verdicts are obtained; auto: the device that is here, too"
    )
    targets: tuple[Annotated[str, AfterValidator(_listed_target)], ...] = Field(
        (), description="further targets, on each of which a verdict is sought as well"
    )
    executor: str = "local"
    reference: ReferenceSettings = ReferenceSettings()
    compile: CompileSettings = CompileSettings()
    hack: HackSettings = HackSettings()
    limits: LimitSettings = LimitSettings()
    agent: AgentSettings = AgentSettings()
    memory: MemorySettings = MemorySettings()
    findings: FindingSettings = FindingSettings()
    cache: CacheSettings = CacheSettings()
    task: tuple[TaskSettings, ...] = ()
    folder: Path | None = Field(
        None, exclude=True, description="where the file lies; paths are relative to it"
    )

    def untrusted(self) -> "Configuration":
        """The same without what counts only in a trusted workspace: interpreter, executor, uri, flags, auditor."""
        return self.model_copy(
            update={
                "executor": "local",
                "reference": ReferenceSettings(),
                "compile": self.compile.model_copy(update={"flags": ()}),
                "memory": MemorySettings(),
                "hack": self.hack.model_copy(update={"auditor": ""}),
            }
        )


def find_configuration(start: Path) -> Path | None:
    """The nearest `kernelwright.toml` in `start` or a folder above it."""
    folder = start if start.is_dir() else start.parent
    for candidate in (folder, *folder.parents):
        file = candidate / FILE_NAME
        if file.is_file():
            return file
    return None


def load_configuration(start: Path) -> tuple[Configuration, tuple[Finding, ...]]:
    """Read the configuration that holds for `start`; mistakes are `ENV_CONFIGURATION` at their line, the rest counts."""
    file = find_configuration(start.resolve())
    if file is None:
        return Configuration(), ()
    try:
        text = read_text_bounded(file, limit_bytes=CONFIGURATION_BYTES)
        raw = parse_toml(text)
    except Unparsable as error:
        return Configuration(folder=file.parent), (_problem(file, str(error), _toml_place(str(error))),)
    except (OSError, UnicodeDecodeError) as error:
        return Configuration(folder=file.parent), (_problem(file, f"cannot be read: {error}", None),)
    findings: list[Finding] = []
    while True:
        try:
            configuration = Configuration.model_validate(raw)
            break
        except ValidationError as error:
            before = repr(raw)
            mistakes = error.errors()[:_MOST_MISTAKES]
            findings += [_mistake(file, text, mistake) for mistake in mistakes]
            if error.error_count() > _MOST_MISTAKES:
                more = f"and {error.error_count() - _MOST_MISTAKES} more mistakes, which are not shown"
                findings.append(_problem(file, more, None))
            # From the end: what goes from a list moves up what comes after it.
            for mistake in reversed(error.errors()):
                # What is missing cannot be removed: then what it is missing from goes.
                _remove(raw, mistake["loc"][:-1] if mistake["type"] == "missing" else mistake["loc"])
            if repr(raw) == before:
                return Configuration(folder=file.parent), tuple(findings)
    return _resolve(configuration, file.parent), tuple(findings)


def _resolve(configuration: Configuration, folder: Path) -> Configuration:
    interpreter = configuration.reference.interpreter
    return configuration.model_copy(
        update={
            "folder": folder,
            "reference": ReferenceSettings(interpreter=folder / interpreter if interpreter else None),
            "compile": configuration.compile.model_copy(
                update={"include": tuple(folder / path for path in configuration.compile.include)}
            ),
            "task": tuple(
                t.model_copy(update={"task": folder / t.task if t.task else None}) for t in configuration.task
            ),
        }
    )


def _mistake(file: Path, text: str, mistake: Any) -> Finding:
    keys = [str(key) for key in mistake["loc"]]
    name = ".".join(keys)
    if mistake["type"] == "extra_forbidden":
        model: Any = Configuration
        message = f"unknown key '{name}'; here are known: {', '.join(_known(model, mistake['loc'][:-1]))}"
    elif mistake["type"] == "value_error":
        message = f"{keys[0]}: {mistake['ctx']['error']}"
    else:
        message = f"'{name}': {mistake['msg'][0].lower()}{mistake['msg'][1:]}"
    last = next((key for key in reversed(keys) if not key.isdigit()), "")
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(rf"\s*\[*{re.escape(last)}\b", line):
            return _problem(
                file, message, Range(line=number, column=1, end_line=number, end_column=len(line) + 1)
            )
    return _problem(file, message, None)


def _known(model: Any, location: tuple[Any, ...]) -> list[str]:
    for key in location:
        if isinstance(key, int):
            continue
        annotation = model.model_fields[key].annotation
        model = TaskSettings if key == "task" else annotation
    return [name for name in model.model_fields if name != "folder"]


def _remove(raw: Any, location: tuple[Any, ...]) -> None:
    try:
        for key in location[:-1]:
            raw = raw[key]
        del raw[location[-1]]
    except (KeyError, IndexError, TypeError):
        pass  # removed with a mistake before it


def _problem(file: Path, message: str, at: Range | None) -> Finding:
    place = at or Range(line=1, column=1, end_line=1, end_column=1)
    return finding("ENV_CONFIGURATION", f"{FILE_NAME}: {message}", str(file), place)


def _toml_place(message: str) -> Range | None:
    match = re.search(r"at line (\d+), column (\d+)", message)
    if match is None:
        return None
    line, column = int(match[1]), int(match[2])
    return Range(line=line, column=column, end_line=line, end_column=column + 1)
