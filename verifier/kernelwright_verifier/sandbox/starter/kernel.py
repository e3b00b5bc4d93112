"""System calls that Python does not offer, and their constants."""

# Importing pathlib and contextlib would cost more than all that is done here.
import ctypes
import os
import struct

# The lock of the interpreter is kept: the process has one thread, and a clone in the middle of a call must find it held.
libc = ctypes.PyDLL(None, use_errno=True)

CLONE_PARENT, CLONE_NEWNS, CLONE_NEWUSER = 0x8000, 0x20000, 0x10000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REC, MS_PRIVATE = 1, 2, 4, 8, 0x4000, 0x40000
MNT_DETACH = 2
PR_SET_PDEATHSIG, PR_CAPBSET_DROP, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP = (
    1,
    24,
    36,
    38,
    22,
)
# The numbers of calls from 424 on are the same on all architectures.
_OPEN_TREE, _MOVE_MOUNT, _MOUNT_SETATTR, _CLOSE_RANGE = 428, 429, 442, 436
_CLONE = {"x86_64": 56, "aarch64": 220}
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_AT_FDCWD, _AT_EMPTY_PATH, _AT_RECURSIVE = -100, 0x1000, 0x8000
_OPEN_TREE_CLONE = 1
_FROM_EMPTY_PATH, _TO_EMPTY_PATH = 0x4, 0x40
ATTR_RDONLY, ATTR_NOSUID, ATTR_NODEV, ATTR_IDMAP = 0x1, 0x2, 0x4, 0x100000


def checked(what: str, result: int, path: str = "") -> int:
    """The result of a call.

    Raises:
        OSError: it failed; its file name is `path`, else `what`.
    """
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), path or what)
    return result


def prctl(option: int, value: "int | bytes" = 0, third: "int | bytes" = 0) -> None:
    checked("prctl", libc.prctl(option, value, third, 0, 0))


def clone(flags: int) -> int:
    """Fork with flags: 0 in the child."""
    return checked("clone", libc.syscall(_CLONE[os.uname().machine], flags, 0, 0, 0, 0))


def unshare(flags: int) -> None:
    checked("unshare", libc.unshare(flags))


def setns(descriptor: int, kind: int) -> None:
    checked("setns", libc.setns(descriptor, kind))


def mount(kind: str, place: str, flags: int, options: str = "") -> None:
    text = options.encode() or None
    checked("mount", libc.mount(kind.encode(), os.fsencode(place), kind.encode(), flags, text), place)


def make_mounts_private() -> None:
    checked("mount", libc.mount(None, b"/", None, MS_REC | MS_PRIVATE, None), "/")


def clone_of_mount(path: str) -> int:
    """A descriptor of what is mounted from `path` down, a mount of its own that is attached nowhere."""
    flags = _OPEN_TREE_CLONE | os.O_CLOEXEC | _AT_RECURSIVE
    return checked(
        "open_tree", libc.syscall(_OPEN_TREE, _AT_FDCWD, os.fsencode(path), ctypes.c_uint(flags)), path
    )


def set_mount(tree: int, attributes: int, namespace: int = 0, *, recursive: bool) -> bool:
    """Whether the attributes could be set; owners are mapped by `namespace` with `ATTR_IDMAP`."""
    packed = struct.pack("=QQQQ", attributes, 0, 0, namespace)
    flags = _AT_EMPTY_PATH | (_AT_RECURSIVE if recursive else 0)
    return bool(
        libc.syscall(_MOUNT_SETATTR, tree, b"", ctypes.c_uint(flags), packed, ctypes.c_size_t(len(packed)))
        == 0
    )


def attach_mount(tree: int, place: int) -> None:
    """Attach a detached mount where the descriptor `place` is."""
    flags = ctypes.c_uint(_FROM_EMPTY_PATH | _TO_EMPTY_PATH)
    checked("move_mount", libc.syscall(_MOVE_MOUNT, tree, b"", place, b"", flags))


def enter_root(folder: str) -> None:
    """Make a mount the root; what was the root is gone, or out of reach for who may not change roots."""
    os.chdir(folder)
    if libc.syscall(_PIVOT_ROOT[os.uname().machine], b".", b".") == 0:
        checked("umount2", libc.umount2(b".", MNT_DETACH))
    else:  # within a root that is no mount, or the first of all
        os.chroot(".")
    os.chdir("/")


def close_from(first: int) -> None:
    """Close all descriptors from this one on."""
    if libc.syscall(_CLOSE_RANGE, ctypes.c_uint(first), ctypes.c_uint(0xFFFFFFFF), 0) != 0:
        os.closerange(first, 1 << 16)
