"""How a fork takes itself out of reach of its parent and of the other forks, before it has read a task.

What is to be done comes from the server as plain data (`sandbox/nesting.py` and `sandbox/landlock.py` say what): namespaces of its
own, or where these are not to be had a second Landlock ruleset; then a system call filter that takes the means for all of this.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Any

_CLONE_NEWNS, _CLONE_NEWUTS, _CLONE_NEWIPC, _CLONE_NEWPID = 0x00020000, 0x04000000, 0x08000000, 0x20000000
_RDONLY, _NOSUID, _NODEV, _NOEXEC, _REMOUNT, _BIND, _REC, _PRIVATE = 1, 2, 4, 8, 32, 4096, 16384, 1 << 18
_PR_SET_DUMPABLE, _PR_SET_KEEPCAPS, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 4, 8, 24, 38
_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 22, 2
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF, _RULE_PATH_BENEATH = 444, 445, 446, 1
_CAPSET = {"x86_64": 126, "aarch64": 91}
_CAPABILITY_VERSION, _LAST_CAPABILITY = 0x20080522, 63
_CAP_SETUID, _CAP_SETPCAP = 7, 8
# Where all uids are to be had: beyond those of people, of systems and of containers.
_FIRST_UID, _UIDS = (1 << 30) + (1 << 29), 1 << 28

_libc = ctypes.CDLL(None, use_errno=True)


class Unconfined(Exception):
    """It cannot be confined here; the message says what failed."""


def be_unreadable() -> None:
    """Let no process without rights over this one read its memory, its descriptors and its environment."""
    _prctl(_PR_SET_DUMPABLE, 0)


class Nursery:
    """The parent's means to fork: each fork the first process of a namespace of its own, where the parent may make such."""

    def __init__(self) -> None:
        self._own: int | None = None
        try:
            self._own = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:  # under Landlock
            return

    def fork(self, orders: dict[str, Any]) -> tuple[int, bool]:
        """(process id, whether its processes are numbered anew); in the fork the id is 0."""
        apart = False
        if "namespaces" in orders and self._own is not None:
            # The fork will be the first of a new namespace; after it this process goes back to its own, to make another one.
            apart = _libc.unshare(_CLONE_NEWPID) == 0
        pid = -1
        try:
            pid = os.fork()
        finally:
            if apart and pid != 0 and _libc.setns(self._own, _CLONE_NEWPID) != 0:
                os._exit(70)  # the next fork would be in the wrong one
        return pid, apart


def confine(orders: dict[str, Any], apart: bool, uid: int | None) -> None:
    """Confine this process, the only thread, for good.

    Args:
        apart: it is the first of a process namespace of its own.
        uid: to be its own, where that can be had.

    Raises:
        Unconfined: neither way works here, though one was asked for.
    """
    try:
        if apart:
            _enter_namespaces(orders["namespaces"], orders["folder"])
            _drop_capabilities()
            code = orders["namespaces"]
        elif "landlock" in orders:
            code = orders["landlock"]
            if uid is not None and code["own_uid"]:
                _take_uid(uid)
            _drop_capabilities()
            _restrict_files(bytes.fromhex(code["ruleset"]), code["rules"])
        elif "namespaces" in orders:
            raise Unconfined("the sandbox allows no namespaces, and this Linux kernel has no Landlock")
        else:
            code = None
        be_unreadable()
        if code is not None:
            _restrict_calls(bytes.fromhex(code["filter"]), code["own_pid"])
    except OSError as error:
        raise Unconfined(f"{error.filename or 'the kernel'}: {error.strerror}") from None


def uids() -> tuple[int, int]:
    """(the first, how many) of the uids that forks can be given; none where this process may give none."""
    first, count = 0, 0
    try:
        for line in Path("/proc/self/uid_map").read_text().splitlines():
            inside, _, length = map(int, line.split())
            if inside <= os.getuid() < inside + length:
                first, count = inside, length
        held = ctypes.create_string_buffer(24)
        header = struct.pack("=Ii", _CAPABILITY_VERSION, 0)
        _checked("capget", _libc.syscall(_CAPSET[os.uname().machine] - 1, header, held))
        if not struct.unpack("=6I", held.raw)[0] >> _CAP_SETUID & 1:
            return 0, 0
    except (OSError, ValueError):
        return 0, 0
    if count > _FIRST_UID + _UIDS:
        return _FIRST_UID, _UIDS
    return first + 1, count - 1


def _enter_namespaces(orders: dict[str, Any], folder: str) -> None:
    _checked("unshare", _libc.unshare(_CLONE_NEWNS | _CLONE_NEWIPC | _CLONE_NEWUTS))
    own = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    null = os.open(os.devnull, os.O_PATH | os.O_CLOEXEC)
    _mount("none", "/", None, _REC | _PRIVATE)
    for place in orders["read_only"]:
        _mount("none", place, None, _REMOUNT | _BIND | _RDONLY | _NOSUID | _NODEV)
    for place, options in orders["emptied"]:
        _mount("tmpfs", place, "tmpfs", _NOSUID | _NODEV, options)
    for area, name in orders["areas"]:
        _mount("tmpfs", area, "tmpfs", _NOSUID | _NODEV, "mode=0755,size=64k")
        Path(name).mkdir(parents=True)
        _mount(f"/proc/self/fd/{own}", name, None, _BIND)
        _mount("none", area, None, _REMOUNT | _BIND | _RDONLY | _NOSUID | _NODEV)
    # Of the new namespace's processes, and so that nothing of the kernel can be set.
    _mount("proc", "/proc", "proc", _RDONLY | _NOSUID | _NODEV | _NOEXEC)
    for place in orders["masked"]:
        path = Path(place)
        if path.is_dir():
            _mount("tmpfs", place, "tmpfs", _RDONLY | _NOSUID | _NODEV | _NOEXEC, "size=4k")
        elif path.exists():
            _mount(f"/proc/self/fd/{null}", place, None, _BIND)
    os.close(own)
    os.close(null)


def _take_uid(uid: int) -> None:
    """Be another user to signals and to whoever looks at processes; files are still opened as the one that owns ours."""
    of_files = os.geteuid()
    _prctl(_PR_SET_KEEPCAPS, 1)
    os.setresuid(uid, uid, uid)
    _set_capabilities(1 << _CAP_SETUID | 1 << _CAP_SETPCAP)  # the latter to give up what is left
    _libc.setfsuid(of_files)


def _drop_capabilities() -> None:
    for capability in range(_LAST_CAPABILITY + 1):
        if _libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            break  # beyond the last one, or none are ours to give up
    _set_capabilities(0)
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def _set_capabilities(rights: int) -> None:
    header = struct.pack("=Ii", _CAPABILITY_VERSION, 0)
    data = struct.pack("=6I", rights, rights, 0, 0, 0, 0)
    _checked("capset", _libc.syscall(_CAPSET[os.uname().machine], header, data))


def _restrict_files(attributes: bytes, rules: Iterable[tuple[str, int]]) -> None:
    size = ctypes.c_size_t(len(attributes))
    ruleset = _checked("landlock", _libc.syscall(_CREATE_RULESET, attributes, size, 0))
    for path, rights in rules:
        target = os.open(path, os.O_PATH | os.O_CLOEXEC)
        rule = struct.pack("=Qi", rights, target)
        _checked(path, _libc.syscall(_ADD_RULE, ruleset, _RULE_PATH_BENEATH, rule, 0))
        os.close(target)
    _checked("landlock", _libc.syscall(_RESTRICT_SELF, ruleset, 0))
    os.close(ruleset)


def _restrict_calls(code: bytes, own_pid: int) -> None:
    instructions = [list(fields) for fields in struct.iter_unpack("=HBBI", code)]
    for fields in instructions:
        if fields[3] == own_pid:
            fields[3] = os.getpid()
    code = b"".join(struct.pack("=HBBI", *fields) for fields in instructions)
    buffer = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("@HP", len(instructions), ctypes.addressof(buffer))
    _checked("seccomp", _libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, program, 0, 0))


def _mount(source: str, place: str, kind: str | None, flags: int, options: str | None = None) -> None:
    name = None if kind is None else kind.encode()
    data = None if options is None else options.encode()
    _checked(place, _libc.mount(source.encode(), place.encode(), name, ctypes.c_ulong(flags), data))


def _prctl(option: int, value: int) -> None:
    _checked("prctl", _libc.prctl(option, value, 0, 0, 0))


def _checked(what: str, result: int) -> int:
    if result < 0:
        number = ctypes.get_errno() or errno.EPERM
        raise OSError(number, os.strerror(number), what)
    return result
