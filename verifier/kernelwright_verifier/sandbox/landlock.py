"""Confinement without namespaces: Landlock for files, seccomp for the rest. And no confinement at all,
for `--no-sandbox`.

What is weaker than under bubblewrap: that a file exists can be found out, processes of the machine are
not renumbered, and there is no /tmp and no /dev/shm but a folder of the program's own in TMPDIR. In
return modes, owners and times of files cannot be changed, and the tree cannot leave its process group, so
that one signal ends it.
"""

import ctypes
import os
import secrets
import stat
import struct
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from kernelwright_backends.interfaces.confinement import ConfinementError
from kernelwright_verifier.sandbox import filesystem, nesting, starting
from kernelwright_verifier.sandbox.bounds import SPARE_TASKS, task_limit
from kernelwright_verifier.sandbox.confinement import Sandbox
from kernelwright_verifier.sandbox.launch import Launch, Request
from kernelwright_verifier.sandbox.seccomp import OWN_PID, seccomp_filter

# linux/landlock.h
_CREATE_RULESET, _ASK_VERSION = 444, 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = (1 << bit for bit in range(4))
_MAKE_CHAR, _MAKE_SOCK, _MAKE_BLOCK = 1 << 6, 1 << 9, 1 << 11
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
_FIRST_VERSION = (1 << 13) - 1
_TCP, _SCOPES = 0b11, 0b11  # bind and connect; abstract unix sockets and signals
_READ = _EXECUTE | _READ_FILE | _READ_DIR
# Signals to who has another uid, taking one, and giving up what others must not have.
_CAP_KILL, _CAP_SETUID, _CAP_SETPCAP = 5, 7, 8
_OF_NESTING = (_CAP_KILL, _CAP_SETUID, _CAP_SETPCAP)
_TRUNCATE_ABI, _IOCTL_ABI, _NET_ABI, _SCOPE_ABI = 3, 5, 4, 6

_OWN_PROCESS = "/proc/self"
_KERNEL_FACTS = ("cpuinfo", "meminfo", "stat", "version", "filesystems", "sys/vm/overcommit_memory")


# Of the machine's own /proc, which under bubblewrap is another.
_DEVICE_FACTS = (Path("/proc/driver/nvidia"), Path("/proc/devices"), Path("/proc/modules"))


@cache
def landlock_abi() -> int:
    """The version of Landlock that this kernel speaks; 0: none, or switched off."""
    libc = ctypes.CDLL(None, use_errno=True)
    return max(0, int(libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _ASK_VERSION)))


class Landlock(Sandbox):
    """See `Confinement`."""

    name = "landlock"

    def __init__(self, abi: int | None = None) -> None:
        """Use the kernel's version of Landlock, or an older one as an older kernel would."""
        self._abi = landlock_abi() if abi is None else min(abi, landlock_abi())

    def version(self) -> str:
        return str(self._abi or "")

    def launch(self, request: Request) -> Launch:
        if request.local_sockets:
            raise ConfinementError(
                "the tool needs local sockets, which Landlock cannot confine. Install bubblewrap ('kernelwright "
                "doctor' says why it does not work), or pass --no-sandbox for code you trust"
            )
        _make_executable(Path(request.argv[0]))
        abi = self._abi
        write = _write_rights(abi)
        rules = [
            *_system_rules(abi),
            *_rules(filesystem.bound_paths(request.readable), _READ),
            *_rules(filesystem.bound_paths(request.writable), write),
            *_device_rules(abi, request.devices),
        ]
        restrictions = {
            "ruleset": _ruleset(abi),
            "rules": rules,
            "scratch_rights": write,
            "own_pid": OWN_PID,
            "keeps": _OF_NESTING if request.nests else (),
        }
        code = seccomp_filter(
            shared_tree=True,
            own_signals=abi < _SCOPE_ABI,
            read_only_truncates=abi < _TRUNCATE_ABI,
            device=bool(request.devices),
            nests=request.nests,
        )
        view = {"paths": _view(request), "links": _view_links()}
        return _launch(request, restrictions, code, view)

    def nested(self, request: Request, folder: Path) -> dict[str, Any]:
        return {**nesting.apart(folder), **of_fork(request, folder, self._abi)}


def of_fork(
    request: Request, folder: Path, abi: int | None = None, *, own_uid: bool = True
) -> dict[str, Any]:
    """A second ruleset within the first, for a fork of a program that was launched so: it reads the same, writes in `folder` alone,
    and is shown no process. {} where this kernel has no Landlock.

    Args:
        own_uid: it takes a uid of its own, where that can be had.
    """
    abi = landlock_abi() if abi is None else abi
    if abi == 0:
        return {}
    rules = [
        *(rule for rule in _system_rules(abi) if rule[0] != _OWN_PROCESS),
        *_rules(filesystem.bound_paths(request.readable), _READ),
        (str(folder), _write_rights(abi)),
    ]
    code = seccomp_filter(
        shared_tree=True, own_signals=abi < _SCOPE_ABI, read_only_truncates=abi < _TRUNCATE_ABI
    )
    return {
        "landlock": {
            "ruleset": _ruleset(abi).hex(),
            "rules": rules,
            "filter": code.hex(),
            "own_pid": OWN_PID,
            "own_uid": own_uid,
        }
    }


class Unconfined(Sandbox):
    """No confinement, because the user said so; limits, a clean environment and a clean end all the same."""

    name = "none"

    def version(self) -> str:
        return ""

    def launch(self, request: Request) -> Launch:
        return _launch(request, None, None)

    def nested(self, request: Request, folder: Path) -> dict[str, Any]:
        return nesting.apart(folder)


def _launch(
    request: Request,
    restrictions: dict[str, Any] | None,
    code: bytes | None,
    view: dict[str, Any] | None = None,
) -> Launch:
    scratch = Path(tempfile.gettempdir(), f"kernelwright-{secrets.token_hex(8)}")
    values = {
        "kind": "supervised",
        "command": [filesystem.program(request.argv[0], request.environment), *request.argv[1:]],
        "environment": filesystem.clean_environment(request.environment),
        "cwd": None if request.cwd is None else str(request.cwd),
        "scratch": str(scratch),
        "restrictions": restrictions,
        "nobody": view is not None and os.geteuid() == 0,
        "view": view,
        "tasks": task_limit(request.limits) + SPARE_TASKS,
    }
    return Launch(argv=None, gate=starting.orders(values), filter=code, ends_with_gate=True, scratch=scratch)


def _view(request: Request) -> list[tuple[str, str]]:
    """What is to be seen at all where root runs the tool: path and use. Rules say more closely what may be done with it."""
    paths = [*filesystem.system_paths(), *filesystem.bound_paths(request.readable)]
    devices = [Path("/dev", name) for name in filesystem.DEVICES]
    if request.devices:
        paths += filesystem.device_facts()
        devices += filesystem.device_paths(request.devices)
    writable = filesystem.bound_paths(request.writable)
    entries = [
        *((str(path), "readable") for path in paths if path not in writable),
        *((str(path), "writable") for path in writable),
        *((str(path), "device") for path in devices),
    ]
    return list(dict.fromkeys(entries))


def _view_links() -> dict[str, str]:
    links = {str(path): target for path, target in filesystem.system_links().items()}
    return links | {f"/dev/{name}": target for name, target in filesystem.DEVICE_LINKS.items()}


def _make_executable(program: Path) -> None:
    """Do what a linker in here could not: it may not change modes, not even of what it made."""
    if (
        program.is_absolute()
        and program.is_file()
        and not program.is_symlink()
        and not os.access(program, os.X_OK)
    ):
        program.chmod(program.stat().st_mode | stat.S_IXUSR)


def _ruleset(abi: int) -> bytes:
    """`struct landlock_ruleset_attr`: what this version can handle is forbidden unless a rule allows it."""
    handled = _FIRST_VERSION
    if abi >= 2:
        handled |= _REFER
    if abi >= _TRUNCATE_ABI:
        handled |= _TRUNCATE
    if abi >= _IOCTL_ABI:
        handled |= _IOCTL_DEV
    words = [handled]
    if abi >= _NET_ABI:
        words.append(_TCP)
    if abi >= _SCOPE_ABI:
        words.append(_SCOPES)
    return struct.pack(f"={len(words)}Q", *words)


def _write_rights(abi: int) -> int:
    handled = int(struct.unpack_from("=Q", _ruleset(abi))[0])
    return handled & ~(_MAKE_CHAR | _MAKE_BLOCK | _MAKE_SOCK | _IOCTL_DEV)


def _rules(paths: Iterable[Path], rights: int) -> list[tuple[str, int]]:
    found = []
    for path in paths:
        folder = stat.S_ISDIR(path.stat().st_mode)
        found.append((str(path), rights if folder else rights & _OF_FILES))
    return found


def _device_rules(abi: int, devices: Iterable[Path]) -> list[tuple[str, int]]:
    """Devices are used by ioctl; what the kernel says of them is read."""
    paths = filesystem.device_paths(devices)
    if not paths:
        return []
    use = _READ_FILE | _WRITE_FILE | (_IOCTL_DEV if abi >= _IOCTL_ABI else 0)
    # A driver names its threads, which is to write a file of each anew.
    name = _READ_FILE | _READ_DIR | _WRITE_FILE | (_TRUNCATE if abi >= _TRUNCATE_ABI else 0)
    facts = [*filesystem.device_facts(), *(path for path in _DEVICE_FACTS if path.exists())]
    used = [(str(path), use) for path in paths]
    return [*used, ("/proc/self/task", name), *_rules(facts, _READ_FILE | _READ_DIR)]


@cache
def _system_rules(abi: int) -> list[tuple[str, int]]:
    rules = _rules([*filesystem.system_paths(), *filesystem.system_links()], _READ)
    facts = [path for name in _KERNEL_FACTS if (path := Path("/proc", name)).exists()]
    rules += _rules(facts, _READ)
    # Opened by the child that becomes the program, so that its own folder is meant.
    rules.append((_OWN_PROCESS, _READ_FILE | _READ_DIR))
    for name in filesystem.DEVICES:
        truncate = _TRUNCATE if abi >= _TRUNCATE_ABI else 0
        rules.append((f"/dev/{name}", _READ_FILE | _WRITE_FILE | truncate))
    return [(path, rights) for path, rights in rules if Path(path).exists()]
