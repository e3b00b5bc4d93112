"""What a process takes from itself before it becomes a program that nobody trusts."""

import ctypes
import os
import struct

from . import kernel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_RULE_PATH_BENEATH = 1
_SECCOMP_MODE_FILTER = 2
_CAPSET = {"x86_64": 126, "aarch64": 91}
_CAPABILITY_VERSION = 0x20080522
_LAST_CAPABILITY = 63


def drop_capabilities() -> None:
    for capability in range(_LAST_CAPABILITY + 1):
        if kernel.libc.prctl(kernel.PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            break  # beyond the last one, or none are ours to give up
    header = struct.pack("=Ii", _CAPABILITY_VERSION, 0)
    kernel.checked("capset", kernel.libc.syscall(_CAPSET[os.uname().machine], header, bytes(24)))
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
