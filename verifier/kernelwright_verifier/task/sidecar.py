"""`NAME.toml` beside the task `NAME.py`: what a task that must stay unchanged does not say itself (docs/development/verification.md, Sizes).

small = { N = 1024 }                          # sizes for a machine without a device
shapes = [{ N = 1000 }, { N = 4097 }]         # further shapes it must work for
[requires]                                    # preconditions of its inputs
idx = "sorted(idx) and 0 <= idx < x.shape[0]"
"""

from pathlib import Path

from pydantic import Field, ValidationError

from kernelwright_backends.core.finding import Finding, finding
from kernelwright_backends.core.model import Model
from kernelwright_backends.untrusted.parsing import Unparsable, parse_toml
from kernelwright_backends.untrusted.reach import Reach
from kernelwright_backends.untrusted.reading import CONFIGURATION_BYTES
from kernelwright_verifier.project.boundary import why_not_own


class Sidecar(Model):
    """What stands in it."""

    small: dict[str, int] | None = None
    shapes: tuple[dict[str, int], ...] = ()
    requires: dict[str, str] = Field(default_factory=dict)


def read_sidecar(task: Path) -> tuple[Sidecar, Finding | None]:
    """The sidecar of a task, empty where there is none; a mistake in it is `TASK_INVALID` in that file."""
    file = task.with_suffix(".toml")
    try:
        if (reason := why_not_own(file)) is not None:
            return Sidecar(), _problem(
                file, f"the file is ignored because it {reason}. Copy it or change its owner and permissions"
            )
        raw = parse_toml(Reach(task).read(file, limit_bytes=CONFIGURATION_BYTES).decode("utf-8"))
    except FileNotFoundError:
        return Sidecar(), None
    except (OSError, ValueError, Unparsable) as error:
        return Sidecar(), _problem(file, str(error))
    try:
        return Sidecar.model_validate(raw), None
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"]))
        known = ", ".join(Sidecar.model_fields)
        what = (
            f"unknown key '{name}'; expected one of {known}"
            if first["type"] == "extra_forbidden"
            else f"'{name}': {first['msg'][0].lower()}{first['msg'][1:]}"
        )
        return Sidecar(), _problem(file, what)


def _problem(file: Path, what: str) -> Finding:
    return finding("TASK_INVALID", f"{file.name}: {what}", str(file))
