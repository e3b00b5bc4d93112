"""Confinement by bubblewrap: all namespaces, a file tree of its own, no capabilities, a seccomp filter."""

import os
import platform
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

from kernelwright_verifier.sandbox import filesystem, landlock, nesting
from kernelwright_verifier.sandbox.bounds import task_limit
from kernelwright_verifier.sandbox.confinement import Sandbox
from kernelwright_verifier.sandbox.launch import FILTER, GATE, STATUS, Launch, Request
from kernelwright_verifier.sandbox.seccomp import seccomp_filter

# Waits for the limits to hold, then becomes bubblewrap. A shell that starts in a millisecond is all that is needed.
_GATE = f'read -r gate <&{GATE} || exit; echo 1000 > /proc/self/oom_score_adj; exec "$@" {GATE}<&-'
# Inside, where an ordinary user's processes are counted for this sandbox alone. Shells differ in the letter.
_LIMIT_TASKS = '{ ulimit -u "$1" || ulimit -p "$1"; } 2>&-; shift; exec "$@"'
_SPARE_TASKS = 64  # that `Bounds` may see the excess before the kernel refuses more
# What a shell may have put into an environment that was empty.
_OF_THE_SHELL = ("_", "PWD", "OLDPWD", "SHLVL")
_TMP = "/tmp"


@cache
def executable() -> str | None:
    """Where bubblewrap is, None where it is not."""
    return shutil.which("bwrap")


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
        argv = ["/bin/sh", "-c", _GATE, "kernelwright", *_fixed_arguments()]
        if request.nests:
            argv += ["--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_SETPCAP"]
        share = request.limits.memory_mb << 19  # half of the memory, in bytes
        argv += [*_sized(share), "--tmpfs", "/tmp", *_sized(share // 2), "--tmpfs", "/dev/shm"]
        for path in filesystem.device_paths(request.devices):
            argv += ["--dev-bind", str(path), str(path)]
        argv += ["--remount-ro", "/dev"]
        for path in filesystem.device_facts() if request.devices else ():
            argv += ["--ro-bind", str(path), str(path)]
        for path in filesystem.bound_paths(request.readable):
            argv += ["--ro-bind", str(path), str(path)]
        for path in filesystem.bound_paths(request.writable):
            argv += ["--bind", str(path), str(path)]
        argv += ["--remount-ro", "/", "--chdir", str(request.cwd or _TMP)]
        environment = filesystem.clean_environment(request.environment)
        for name, value in {"HOME": _TMP, "TMPDIR": _TMP, **environment}.items():
            argv += ["--setenv", name, value]
        command = [filesystem.program(request.argv[0], environment), *request.argv[1:]]
        counts = os.getuid() != 0 and _counts_namespaces()
        if counts:
            tasks = str(task_limit(request.limits) + _SPARE_TASKS)
            command = ["/bin/sh", "-c", _LIMIT_TASKS, "kernelwright", tasks, *command]
        code = seccomp_filter(
            device=bool(request.devices), local_sockets=request.local_sockets, nests=request.nests
        )
        return Launch([*argv, "--", *command], filter=code, counts_tasks=counts)

    def nested(self, request: Request, folder: Path) -> dict[str, Any]:
        # Where a policy keeps even the first of a namespace from mounting (AppArmor's for bubblewrap), Landlock stands in.
        return {
            **nesting.apart(folder),
            **nesting.in_namespaces(request, folder),
            **landlock.of_fork(request, folder, own_uid=False),
        }


@cache
def _counts_namespaces() -> bool:
    """Whether the kernel counts an ordinary user's processes in each user namespace alone: since Linux 5.14."""
    found = re.match(r"(\d+)\.(\d+)", platform.release())
    return found is not None and (int(found[1]), int(found[2])) >= (5, 14)


@cache
def _fixed_arguments() -> list[str]:
    # No --new-session: it is in one of its own already (`spawn`), and as long as bubblewrap's processes share it one
    # signal reaches them all, also in the moments before --die-with-parent holds.
    arguments = [executable() or "bwrap", "--unshare-all", "--die-with-parent"]
    arguments += ["--cap-drop", "ALL", "--seccomp", str(FILTER), "--json-status-fd", str(STATUS)]
    for name in _OF_THE_SHELL:
        arguments += ["--unsetenv", name]
    for path in filesystem.system_paths():
        arguments += ["--ro-bind", str(path), str(path)]
    for path, target in filesystem.system_links().items():
        arguments += ["--symlink", target, str(path)]
    arguments += ["--proc", "/proc", "--tmpfs", "/dev"]
    for name in filesystem.DEVICES:
        arguments += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    for name, target in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        arguments += ["--symlink", f"/proc/self/fd{target}", f"/dev/{name}"]
    return arguments


def _sized(size: int) -> list[str]:
    # Before 0.7 a tmpfs could not be given a size; then the memory limit alone bounds it.
    return ["--size", str(size)] if version() >= (0, 7) else []
