"""What holds for a document: `kernelwright.toml`, and over it what the user set in the editor."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from kernelwright_backends.core.finding import Finding
from kernelwright_backends.core.model import Model
from kernelwright_verifier.project.config import NOT_WRITTEN, Configuration, load_configuration

_CONFIGURATION = frozenset(Configuration.model_fields) - NOT_WRITTEN - {"task"}


class Lenses(Model):
    """Which lenses are shown."""

    draft: bool = True
    refine: bool = True
    verdict: bool = True
    assembly: bool = False


class Settings(Model):
    """The configuration of a document, and what only editors have."""

    configuration: Configuration = Configuration()
    findings: tuple[Finding, ...] = ()
    mistakes: tuple[str, ...] = ()
    """settings of the editor that cannot be used, one line each"""
    verify_on_save: bool = True
    lenses: Lenses = Lenses()
    builds: bool = False
    """whether build files of the workspace are read: where it is trusted"""


def settings_for(
    path: Path, editor: Mapping[str, Any], *, trusted: bool, workspace: Path | None = None
) -> Settings:
    """The settings of the document at `path`, where `editor` is the editor's section `kernelwright`.

    A setting that cannot be used is left out and named in `mistakes`. Without trust, what the workspace could use to run
    something, to read from elsewhere or to send to (`load_configuration`) does not count.

    Args:
        workspace: the folder open in the editor that holds the document.
    """
    configuration, findings = load_configuration(path, trusted=trusted, workspace=workspace)
    mistakes: list[str] = []
    for name, value in editor.items():
        if name in _CONFIGURATION:
            configuration, problems = _with(configuration, name, value)
            mistakes += problems
    verify = editor.get("verify")
    on_save = verify.get("onSave", True) if isinstance(verify, Mapping) else True
    lens = editor.get("lens")
    shown = {k: v for k, v in lens.items() if k in Lenses.model_fields} if isinstance(lens, Mapping) else {}
    try:
        lenses = Lenses.model_validate(shown)
    except ValidationError:
        mistakes.append("kernelwright.lens: draft, refine, verdict and assembly must be true or false")
        lenses = Lenses()
    return Settings(
        configuration=configuration,
        findings=findings,
        mistakes=tuple(mistakes),
        # Some clients send the setting's words, VS Code's sends the answer that the user gave.
        verify_on_save=on_save in (True, "always", "ask"),
        lenses=lenses,
        builds=trusted,
    )


def _with(configuration: Configuration, name: str, value: Any) -> tuple[Configuration, list[str]]:
    """`configuration` with a setting of the editor, key by key; an empty string means that it is not set."""
    around = {name: getattr(configuration, name) for name in NOT_WRITTEN}
    data = configuration.model_dump()
    mistakes: list[str] = []
    keys = [(name, None)] if not isinstance(value, Mapping) else [(name, key) for key in value]
    for section, key in keys:
        given = value if key is None else value[key]
        if given in ("", None):
            continue
        changed = {**data, section: given if key is None else {**data[section], key: given}}
        try:
            configuration = Configuration.model_validate(changed)
            data = changed
        except ValidationError as error:
            full = f"kernelwright.{section}" + (f".{key}" if key is not None else "")
            mistakes.append(f"{full}: {error.errors()[0]['msg']}")
    return configuration.model_copy(update=around), mistakes
