"""The system calls that a confined program may not make, as a seccomp filter (classic BPF) of our own making.

A list of what is denied, not of what is allowed: compilers, sanitizers and torch run inside. It takes
away what reaches beyond the process (tracing, signals by other means, sockets), what has a record of
kernel exploits (io_uring, bpf, userfaultfd, namespaces) and what keeps memory alive without a process
(System V objects, memfd). System calls younger than the table do not exist for it: programs fall back,
and nothing new is open until somebody has looked at it.
"""

import errno
import platform
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

# linux/seccomp.h, linux/audit.h, linux/bpf_common.h
_KILL_PROCESS, _ERRNO, _ALLOW = 0x80000000, 0x00050000, 0x7FFF0000
_LOAD, _AND, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data, little-endian
_X32 = 0x40000000
OWN_PID = 0x7FFFFFFE  # to be replaced in the filter, once the process exists
_LAST_KNOWN = 462  # mseal; from 424 on all architectures share one numbering


@dataclass(frozen=True)
class _Machine:
    audit: int
    column: int


_MACHINES = {"x86_64": _Machine(0xC000003E, 0), "aarch64": _Machine(0xC00000B7, 1)}
_Call = tuple[int, int]

# name: (x86-64, aarch64); -1 where the architecture does not have it
_ALWAYS: dict[str, _Call] = {
    # other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    "setpriority": (141, 140),
    "ioprio_set": (251, 30),
    # the file tree
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    # namespaces
    "unshare": (272, 97),
    "setns": (308, 268),
    # the kernel
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "syslog": (103, 116),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "vhangup": (153, 58),
    "lookup_dcookie": (212, 18),
    "iopl": (172, -1),
    "ioperm": (173, -1),
    "modify_ldt": (154, -1),
    "uselib": (134, -1),
    # memory that belongs to no process
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "semget": (64, 190),
    "semop": (65, 193),
    "semtimedop": (220, 192),
    "semctl": (66, 191),
    "msgget": (68, 186),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "msgctl": (71, 187),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    "memfd_secret": (447, 447),
}
_TALKING: dict[str, _Call] = {"connect": (42, 203), "accept": (43, 202), "accept4": (288, 242)}
# What makes a socket that others may come to. The drivers of GPUs make one and fail without.
_SOCKET: _Call = (41, 198)
_OPEN_SOCKET: dict[str, _Call] = {"bind": (49, 200), "listen": (50, 201)}
_MEMFD: _Call = (319, 279)
# Without a file tree and process numbers of its own, as under Landlock: what Landlock does not look at.
_SHARED_TREE: dict[str, _Call] = {
    # that others touch their files
    "inotify_init": (253, -1),
    "inotify_init1": (294, 26),
    "inotify_add_watch": (254, 27),
    "chmod": (90, -1),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, -1),
    "fchown": (93, 55),
    "lchown": (94, -1),
    "fchownat": (260, 54),
    "utime": (132, -1),
    "utimes": (235, -1),
    "futimesat": (261, -1),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
}
# Extended attributes of any file: none has any.
_ATTRIBUTES: dict[str, _Call] = {
    "getxattr": (191, 8),
    "lgetxattr": (192, 9),
    "listxattr": (194, 11),
    "llistxattr": (195, 12),
}
# What sets the mode of a file: (call, argument with the mode, argument with the flags that say whether a file is made).
_MODES: tuple[tuple[_Call, int, int | None], ...] = (
    ((90, -1), 1, None),  # chmod
    ((91, 52), 1, None),  # fchmod
    ((268, 53), 2, None),  # fchmodat
    ((452, 452), 2, None),  # fchmodat2
    ((85, -1), 1, None),  # creat
    ((133, -1), 1, None),  # mknod
    ((259, 33), 2, None),  # mknodat
    ((2, -1), 2, 1),  # open
    ((257, 56), 3, 2),  # openat
)
_LEAVING: dict[str, _Call] = {"setsid": (112, 157), "setpgid": (109, 154)}
# How a program of ours takes its forks further in; they come under a filter that denies it.
_NESTING = frozenset(("mount", "unshare", "setns"))
_SIGNALS: dict[str, _Call] = {
    "tkill": (200, 130),
    "pidfd_send_signal": (424, 424),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
}
_CLONE, _CLONE3 = (56, 220), (435, 435)
_IOCTL, _FCNTL, _PERSONALITY = (16, 29), (72, 25), (135, 92)
_SOCKETPAIR, _SENDTO, _PRLIMIT = (53, 199), (44, 206), (302, 261)
_SCHEDULE = ((203, 122), (144, 119), (142, 118), (314, 274))  # setaffinity, setscheduler, setparam, setattr
_KILL, _TGKILL = (62, 129), (234, 131)
_TRUNCATE, _OPEN, _OPENAT, _OPENAT2 = (76, 45), (2, -1), (257, 56), (437, 437)

_NAMESPACES = 0x7E020000  # CLONE_NEWNS | NEWCGROUP | NEWUTS | NEWIPC | NEWUSER | NEWPID | NEWNET
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_FIOSETOWN, _SIOCSPGRP = 0x8901, 0x8902  # F_SETOWN by another name, of sockets
_F_SETOWN, _F_SETSIG, _F_SETOWN_EX = 8, 10, 15
_ADDR_NO_RANDOMIZE, _ASK = 0x0040000, 0xFFFFFFFF
_O_ACCMODE, _O_TRUNC = 0o3, 0o1000
_MAKES = 0o100 | 0o20000000  # O_CREAT, O_TMPFILE
_RUNS_AS_OWNER = 0o6000
_AF_UNIX, _SOCK_STREAM, _SOCK_SEQPACKET = 1, 1, 5


def supported() -> bool:
    """Whether the numbers of this machine's system calls are known."""
    return platform.machine() in _MACHINES


@cache
def seccomp_filter(
    *,
    shared_tree: bool = False,
    own_signals: bool = False,
    read_only_truncates: bool = False,
    device: bool = False,
    local_sockets: bool = False,
    nests: bool = False,
) -> bytes:
    """The filter as an array of `struct sock_filter`.

    Args:
        shared_tree: the program sees the file tree and the processes of the machine (Landlock): also deny
        what changes
            the modes, owners and times of files, and leaving the process group.
        own_signals: nothing else keeps signals inside: a process may signal the one whose id stands where
        `OWN_PID`
            is, and its group.
        read_only_truncates: nothing else keeps a file that may only be read from being cut short.
        device: allow what the drivers of GPUs need: memory behind an anonymous file, and a local socket that
        listens but that nobody in here may connect to or accept from.
        local_sockets: with `device`, let the programs in here connect to each other by local sockets. Only where file tree
        and network namespace keep everybody else out of reach.
        nests: the program is ours and takes what it forks further in: leave it namespaces and mounts or, with
            `shared_tree`, process groups and their signals.

    Raises:
        KeyError: the system calls of this machine are not known (`supported`).
    """
    machine = _MACHINES[platform.machine()]
    program = _Program(machine)
    left = _NESTING if nests and not shared_tree else frozenset[str]()
    program.deny(call for name, call in _ALWAYS.items() if name not in left)
    if not (device and local_sockets):
        program.deny(_TALKING.values())
    if device:
        # Datagrams could be sent to any local socket of the machine that the file tree shows, without a connection.
        kinds = [_Among(1, [_SOCK_STREAM, _SOCK_SEQPACKET], mask=0xF)] if shared_tree else []
        program.allow_if(_SOCKET, _Among(0, [_AF_UNIX]), *kinds)
    else:
        program.deny([_SOCKET, *_OPEN_SOCKET.values()])
        program.deny([_MEMFD], errno.ENOSYS)
    program.deny([_CLONE3], errno.ENOSYS)  # its flags lie in memory: glibc goes back to clone
    program.deny_bits(_CLONE, 0, _NAMESPACES)
    program.deny_if(_IOCTL, _Among(1, [_TIOCSTI, _TIOCLINUX, _FIOSETOWN, _SIOCSPGRP]))
    program.allow_if(_PERSONALITY, _Among(0, [0, _ADDR_NO_RANDOMIZE, _ASK]))
    # A pair of connected streams reaches nobody else; a pair of datagram sockets could be addressed anew.
    program.allow_if(_SOCKETPAIR, _Among(0, [_AF_UNIX]), _Among(1, [_SOCK_STREAM, _SOCK_SEQPACKET], mask=0xF))
    program.allow_if(_SENDTO, _Among(4, [0]), _Among(4, [0], high=True))
    for call in (_PRLIMIT, *_SCHEDULE):
        program.allow_if(call, _Among(0, [0]))
    # What is written is the user's on the disk: nothing of it may run with the user's rights for somebody else.
    for call, mode, flags in _MODES:
        program.deny_modes(call, mode, flags)
    program.deny([_OPENAT2], errno.ENOSYS)  # its mode and its flags lie in memory
    if shared_tree:
        program.deny(_SHARED_TREE.values())
        program.deny(_ATTRIBUTES.values(), errno.EOPNOTSUPP)
        # The tree stays in one process group, so that one signal reaches all of it at once. Honest programs take a
        # refusal for a fault and have no use for the group: for them it seems to work.
        program.deny([] if nests else _LEAVING.values(), error=0)
        program.deny_if(_FCNTL, _Among(1, [_F_SETOWN, _F_SETSIG, _F_SETOWN_EX]))
    if own_signals and not nests:
        program.deny(_SIGNALS.values())
        program.allow_if(_KILL, _Among(0, [0, OWN_PID]))
        program.allow_if(_TGKILL, _Among(0, [OWN_PID]))
    if read_only_truncates:
        program.deny([_TRUNCATE])
        program.deny_if(_OPEN, _Among(1, [_O_TRUNC], mask=_O_TRUNC | _O_ACCMODE))
        program.deny_if(_OPENAT, _Among(2, [_O_TRUNC], mask=_O_TRUNC | _O_ACCMODE))
    return program.assembled()


@dataclass(frozen=True)
class _Among:
    """A condition on an argument of a system call: one of its 32-bit words, masked, is one of the values."""

    argument: int
    values: Sequence[int]
    mask: int = 0xFFFFFFFF
    high: bool = False

    def load(self) -> list[tuple[int, int]]:
        code = [(_LOAD, _ARGUMENTS + 8 * self.argument + 4 * self.high)]
        return code if self.mask == 0xFFFFFFFF else [*code, (_AND, self.mask)]


class _Program:
    """Each block either leaves the system call's number in the accumulator or returns."""

    def __init__(self, machine: _Machine) -> None:
        self._column = machine.column
        self._code: list[bytes] = []
        self._emit(_LOAD, _ARCHITECTURE)
        self._emit(_EQUAL, machine.audit, then=1)
        self._emit(_RETURN, _KILL_PROCESS)
        self._emit(_LOAD, _NUMBER)
        self._emit(_AT_LEAST, _X32, otherwise=1)
        self._emit(_RETURN, _KILL_PROCESS)
        self._emit(_AT_LEAST, _LAST_KNOWN + 1, otherwise=1)
        self._emit(_RETURN, _ERRNO | errno.ENOSYS)

    def deny(self, calls: Iterable[_Call], error: int = errno.EPERM) -> None:
        for call in calls:
            if call[self._column] >= 0:
                self._emit(_EQUAL, call[self._column], otherwise=1)
                self._emit(_RETURN, _ERRNO | error)

    def deny_if(self, call: _Call, condition: _Among) -> None:
        if call[self._column] < 0:
            return
        body = condition.load()
        self._emit(_EQUAL, call[self._column], otherwise=len(body) + len(condition.values) + 2)
        for code, value in body:
            self._emit(code, value)
        for left, value in zip(range(len(condition.values), 0, -1), condition.values, strict=True):
            self._emit(_EQUAL, value, then=left)
        self._emit(_RETURN, _ALLOW)
        self._emit(_RETURN, _ERRNO | errno.EPERM)

    def deny_bits(self, call: _Call, argument: int, bits: int) -> None:
        self._emit(_EQUAL, call[self._column], otherwise=4)
        self._emit(_LOAD, _ARGUMENTS + 8 * argument)
        self._emit(_ANY_BIT, bits, otherwise=1)
        self._emit(_RETURN, _ERRNO | errno.EPERM)
        self._emit(_RETURN, _ALLOW)

    def deny_modes(self, call: _Call, mode: int, flags: int | None) -> None:
        """Deny it with a mode whose file runs as its owner; `flags`: only where these make a file. Else go on."""
        if call[self._column] < 0:
            return
        makes = [] if flags is None else [(_LOAD, _ARGUMENTS + 8 * flags)]
        self._emit(_EQUAL, call[self._column], otherwise=4 + 2 * len(makes))
        for code, value in makes:
            self._emit(code, value)
            self._emit(_ANY_BIT, _MAKES, otherwise=3)
        self._emit(_LOAD, _ARGUMENTS + 8 * mode)
        self._emit(_ANY_BIT, _RUNS_AS_OWNER, otherwise=1)
        self._emit(_RETURN, _ERRNO | errno.EPERM)
        self._emit(_LOAD, _NUMBER)

    def allow_if(self, call: _Call, *conditions: _Among) -> None:
        """Deny the call unless all conditions hold."""
        length = sum(len(condition.load()) + len(condition.values) + 1 for condition in conditions) + 1
        self._emit(_EQUAL, call[self._column], otherwise=length)
        for condition in conditions:
            for code, value in condition.load():
                self._emit(code, value)
            for left, value in zip(range(len(condition.values), 0, -1), condition.values, strict=True):
                self._emit(_EQUAL, value, then=left)
            self._emit(_RETURN, _ERRNO | errno.EPERM)
        self._emit(_RETURN, _ALLOW)

    def assembled(self) -> bytes:
        self._emit(_RETURN, _ALLOW)
        return b"".join(self._code)

    def _emit(self, code: int, value: int, *, then: int = 0, otherwise: int = 0) -> None:
        self._code.append(struct.pack("=HBBI", code, then, otherwise, value))
