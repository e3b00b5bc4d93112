"""Confinement by bubblewrap: all namespaces, a file tree of its own, no capabilities, a seccomp filter."""

import os
import platform
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from kernelwright_backends.untrusted.programs import on_path
from kernelwright_verifier.sandbox import filesystem, landlock, nesting, starting
from kernelwright_verifier.sandbox.bounds import SPARE_TASKS, task_limit
from kernelwright_verifier.sandbox.confinement import Sandbox
from kernelwright_verifier.sandbox.launch import FILTER, GATE, STATUS, Launch, Request
from kernelwright_verifier.sandbox.seccomp import seccomp_filter

# Waits for the limits to hold, then becomes bubblewrap. A shell that starts in a millisecond is all that is needed.
_GATE = f'read -r gate <&{GATE} || exit; echo 1000 > /proc/self/oom_score_adj; exec "$@" {GATE}<&-'
# Inside, where an ordinary user's processes are counted for this sandbox alone. Shells differ in the letter.
_LIMIT_TASKS = '{ ulimit -u "$1" || ulimit -p "$1"; } 2>&-; shift; exec "$@"'
# What a shell may have put into an environment that was empty.
_OF_THE_SHELL = ("_", "PWD", "OLDPWD", "SHLVL")
_TMP = "/tmp"


@cache
def executable() -> str | None:
    """Where bubblewrap is, None where it is not."""
    return on_path("bwrap")


@cache
def version() -> tuple[int, ...]:
    """Of bubblewrap; () where it is missing or does not say."""
    path = executable()
    if path is None:
        return ()
    try:
        said = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=10, check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ()
    found = re.search(r"(\d+(?:\.\d+)+)", said)
    return tuple(int(part) for part in found[1].split(".")) if found else ()


class Bubblewrap(Sandbox):
    """See `Confinement`. /tmp and /dev/shm are the program's own and vanish with it."""

    name = "bubblewrap"

    def version(self) -> str:
        return ".".join(map(str, version()))

    def launch(self, request: Request) -> Launch:
        share = request.limits.memory_mb << 19  # half of the memory, in bytes
        argv: list[str | _Shown] = [*_fixed_arguments()]
        if request.nests:
            argv += ["--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_SETPCAP"]
        argv += [*_sized(share), "--tmpfs", "/tmp", *_sized(share // 2), "--tmpfs", "/dev/shm"]
        for path in filesystem.device_paths(request.devices):
            argv += ["--dev-bind", _Shown(path, "device"), str(path)]
        argv += ["--remount-ro", "/dev"]
        for path in filesystem.device_facts() if request.devices else ():
            argv += ["--ro-bind", str(path), str(path)]
        for path in filesystem.read_only():
            argv += ["--ro-bind", str(path), str(path)]
        argv += _masks(filesystem.hidden(device=bool(request.devices)))
        for path in filesystem.bound_paths(request.readable):
            argv += ["--ro-bind", _Shown(path, "readable"), str(path)]
        for path in filesystem.bound_paths(request.writable):
            argv += ["--bind", _Shown(path, "writable"), str(path)]
        argv += ["--remount-ro", "/", "--chdir", str(request.cwd or _TMP)]
        environment = filesystem.clean_environment(request.environment)
        for name, value in {"HOME": _TMP, "TMPDIR": _TMP, **environment}.items():
            argv += ["--setenv", name, value]
        command = [filesystem.program(request.argv[0], environment), *request.argv[1:]]
        code = seccomp_filter(
            device=bool(request.devices), local_sockets=request.local_sockets, nests=request.nests
        )
        tasks = task_limit(request.limits) + SPARE_TASKS
        if os.geteuid() == 0:
            return _as_nobody(argv, command, tasks, code)
        counts = _counts_namespaces()
        if counts:
            command = ["/bin/sh", "-c", _LIMIT_TASKS, "kernelwright", str(tasks), *command]
        gated = ["/bin/sh", "-c", _GATE, "kernelwright", *map(str, argv), "--", *command]
        return Launch(gated, filter=code, counts_tasks=counts)

    def nested(self, request: Request, folder: Path) -> dict[str, Any]:
        # Where a policy keeps even the first of a namespace from mounting (AppArmor's for bubblewrap), Landlock stands in.
        return {
            **nesting.apart(folder),
            **nesting.in_namespaces(request, folder),
            **landlock.of_fork(request, folder, own_uid=False),
        }


@dataclass(frozen=True)
class _Shown:
    """A path that is bound; where root runs the tool, under the name that nobody finds it at."""

    path: Path
    use: str

    def __str__(self) -> str:
        return str(self.path)


def _as_nobody(argv: Sequence[str | _Shown], command: list[str], tasks: int, code: bytes) -> Launch:
    """Root is nobody inside: the starter makes it so and then becomes bubblewrap."""
    shown = list(dict.fromkeys((str(part), part.use) for part in argv if isinstance(part, _Shown)))
    number = {entry: place for place, entry in enumerate(shown)}
    values = {
        "kind": "bubblewrap",
        "sandbox": [number[str(part), part.use] if isinstance(part, _Shown) else part for part in argv],
        "of_root": _masks(filesystem.hidden_from_root()),
        "command": ["--", *command],
        "environment": {},
        "paths": shown,
        "tasks": tasks,
    }
    return Launch(argv=None, gate=starting.orders(values), filter=code)


@cache
def _counts_namespaces() -> bool:
    """Whether the kernel counts an ordinary user's processes in each user namespace alone: since Linux 5.14."""
    found = re.match(r"(\d+)\.(\d+)", platform.release())
    return found is not None and (int(found[1]), int(found[2])) >= (5, 14)


@cache
def _fixed_arguments() -> list[str | _Shown]:
    # No --new-session: it is in one of its own already (`spawn`), and as long as bubblewrap's processes share it one
    # signal reaches them all, also in the moments before --die-with-parent holds.
    arguments: list[str | _Shown] = [executable() or "bwrap", "--unshare-all", "--die-with-parent"]
    arguments += ["--cap-drop", "ALL", "--seccomp", str(FILTER), "--json-status-fd", str(STATUS)]
    for name in _OF_THE_SHELL:
        arguments += ["--unsetenv", name]
    for path in filesystem.system_paths():
        arguments += ["--ro-bind", _Shown(path, "readable"), str(path)]
    for path, target in filesystem.system_links().items():
        arguments += ["--symlink", target, str(path)]
    arguments += ["--proc", "/proc", "--tmpfs", "/dev"]
    for name in filesystem.DEVICES:
        arguments += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    for name, target in filesystem.DEVICE_LINKS.items():
        arguments += ["--symlink", target, f"/dev/{name}"]
    return arguments


def _masks(paths: Sequence[Path]) -> list[str]:
    arguments: list[str] = []
    for path in paths:
        arguments += ["--tmpfs", str(path)] if path.is_dir() else ["--ro-bind", "/dev/null", str(path)]
    return arguments


def _sized(size: int) -> list[str]:
    # Before 0.7 a tmpfs could not be given a size; then the memory limit alone bounds it.
    return ["--size", str(size)] if version() >= (0, 7) else []
