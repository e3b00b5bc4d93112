"""What is asked of a sandbox, and how a sandbox says that it is to be started."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Literal

from kernelwright_backends.interfaces.confinement import ConfinementError, Limits

# Descriptors of the first program of a tree. The confined program itself sees only 0 to 3.
REPLY, GATE, FILTER, STATUS = 3, 4, 5, 6

SandboxName = Literal["bubblewrap", "landlock", "none"]


class SandboxUnavailable(ConfinementError):
    """No sandbox works here. The message says how to enable one."""


@dataclass(frozen=True)
class Request:
    """One program to be confined."""

    argv: Sequence[str]
    readable: Sequence[Path] = ()
    writable: Sequence[Path] = ()
    cwd: PurePath | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    reply: bool = False
    limits: Limits = field(default_factory=Limits)
    devices: Sequence[Path] = ()
    """Device files that it may use, as a GPU's; with them comes what drivers need: what the kernel tells of devices,
    memory behind anonymous files, a local socket that nobody inside can connect to."""
    local_sockets: bool = False
    """With devices: its processes may connect to each other by local sockets."""
    nests: bool = False
    """It is ours, and confines what it forks further (`nesting`): it is left the means for that."""


@dataclass(frozen=True)
class Launch:
    """The trusted program that sets the sandbox up and then becomes, or starts, the confined one.

    It must not pass its gate (descriptor 4) before `gate` has arrived there: by then the limits of its
    own process hold and are inherited by all that it starts. On descriptor 6 it writes JSON objects:
    `{"child-pid": N}` for the process whose end is the end of all others, `{"group": N}` for the process
    group of the tree, `{"exit-code": N}` or, negative for signals, `{"status": N}` of the confined
    program, `{"error": "..."}` where the sandbox could not be set up; where root runs the tool also
    `{"runs_as": N}`, the uid of the confined program, and, where that is root's, `{"because": "..."}`.
    """

    argv: list[str] | None
    """None: the starter's child, which `gate` gives its orders (`starting`)."""
    gate: bytes = b"\n"
    filter: bytes | None = None
    counts_tasks: bool = False
    """True: it limits the number of its processes itself, as far as the kernel can count them for it alone."""
    ends_with_gate: bool = False
    """True: it kills its tree itself when the gate closes, and must not be killed before it has done so."""
    scratch: Path | None = None
    """A folder that it makes for the program, and removes."""
