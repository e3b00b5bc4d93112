"""What a process takes from itself before it becomes a program that nobody trusts."""

import ctypes
import os
import struct

from . import kernel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_RULE_PATH_BENEATH = 1
_SECCOMP_MODE_FILTER = 2
_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_RAISE = 47, 2
_CAPSET = {"x86_64": 126, "aarch64": 91}
_CAPABILITY_VERSION = 0x20080522
_LAST_CAPABILITY = 63


def drop_capabilities(keeps: "Sequence[int]" = ()) -> None:
    """All, but those of `keeps` that it has, which the program keeps as well: it is ours then, and drops them in its forks."""
    capset = _CAPSET[os.uname().machine]
    header, held = struct.pack("=Ii", _CAPABILITY_VERSION, 0), ctypes.create_string_buffer(24)
    kernel.checked("capget", kernel.libc.syscall(capset - 1, header, held))
    permitted = struct.unpack("=6I", held.raw)[1]
    kept = [capability for capability in keeps if permitted >> capability & 1]
    for capability in range(_LAST_CAPABILITY + 1):
        if capability not in kept and kernel.libc.prctl(kernel.PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            break  # beyond the last one, or none are ours to give up
    rights = sum(1 << capability for capability in kept)
    data = struct.pack("=6I", rights, rights, rights, 0, 0, 0)
    kernel.checked("capset", kernel.libc.syscall(capset, header, data))
    for capability in kept:
        raised = kernel.libc.prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_RAISE, capability, 0, 0)
        kernel.checked("prctl", raised)
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)


def restrict_files(attributes: bytes, rules: "list[Any]") -> None:
    """Landlock: nothing but what a rule (path, rights) allows.

    Raises:
        OSError: a path does not exist, or the kernel refuses a rule.
    """
    size = ctypes.c_size_t(len(attributes))
    ruleset = kernel.checked("landlock", kernel.libc.syscall(_CREATE_RULESET, attributes, size, 0))
    for path, rights in rules:
        target = os.open(path, os.O_PATH | os.O_CLOEXEC)
        rule = struct.pack("=Qi", rights, target)
        added = kernel.libc.syscall(_ADD_RULE, ruleset, _RULE_PATH_BENEATH, rule, 0)
        kernel.checked("landlock", added, path)
        os.close(target)
    kernel.checked("landlock", kernel.libc.syscall(_RESTRICT_SELF, ruleset, 0))
    os.close(ruleset)


def restrict_calls(code: bytes, own_pid: int) -> None:
    """Install a seccomp filter; the number of this process stands where `own_pid` does."""
    instructions = [list(fields) for fields in struct.iter_unpack("=HBBI", code)]
    for fields in instructions:
        if fields[3] == own_pid:
            fields[3] = os.getpid()
    code = b"".join(struct.pack("=HBBI", *fields) for fields in instructions)
    buffer = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("@HP", len(instructions), ctypes.addressof(buffer))
    kernel.prctl(kernel.PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, program)
