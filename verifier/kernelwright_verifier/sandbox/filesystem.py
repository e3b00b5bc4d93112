"""What every confined program sees of the machine: compilers and libraries, a few devices, and nothing of
anybody's.

Read-only: /usr and what it depends on, the loader's cache, the choice of alternatives (`c++` is one on
Debian), the list of processors. No home, no /var, no /run, no other part of /etc.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from kernelwright_backends.interfaces.confinement import ConfinementError

DEVICES = ("null", "zero", "full", "random", "urandom")
DEVICE_LINKS = {
    name: f"/proc/self/{place}"
    for name, place in (("fd", "fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2"))
}
_ROOTS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_FOLDERS = ("/usr", "/nix/store", "/gnu/store")
_EXTRAS = (
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/alternatives",
    "/sys/devices/system/cpu",
)
_DEVICE_FACTS = ("/sys/bus", "/sys/class", "/sys/devices", "/sys/module")
_READ_ONLY = ("/proc/sys",)
# What tells of the machine's other users and may be read by everybody, or may be written by everybody.
_HIDDEN: tuple[str, ...] = (
    "acpi",
    "asound",
    "interrupts",
    "kallsyms",
    "keys",
    "latency_stats",
    "locks",
    "pressure",
)
_HIDDEN += ("sched_debug", "scsi", "timer_stats")
# What belongs to root: it is hidden from a program that runs as root because root could not be made nobody.
_ROOTS_OWN: tuple[str, ...] = (
    "bus",
    "config.gz",
    "consoles",
    "dynamic_debug",
    "fs",
    "iomem",
    "ioports",
    "irq",
    "kcore",
    "key-users",
)
_ROOTS_OWN += (
    "kmsg",
    "kpagecgroup",
    "kpagecount",
    "kpageflags",
    "mtrr",
    "pagetypeinfo",
    "slabinfo",
    "softirqs",
)
_ROOTS_OWN += ("sysrq-trigger", "sysvipc", "timer_list", "tty", "vmallocinfo", "vmcore")
_HIDDEN_OF_DEVICES = (
    "/sys/devices/virtual/dmi",
    "/sys/devices/virtual/powercap",
    "/sys/module/kernel/parameters",
)
_SEARCH_PATH = "/usr/local/bin:/usr/bin:/bin"


@cache
def system_links() -> Mapping[Path, str]:
    """/bin, /lib and their like where they are links into /usr: path -> target."""
    roots = (Path("/", name) for name in _ROOTS)
    return {root: str(root.readlink()) for root in roots if root.is_symlink()}


@cache
def system_paths() -> Sequence[Path]:
    """Files and folders of the system that are bound read-only where they are."""
    roots = [Path("/", name) for name in _ROOTS]
    named = [Path(name) for name in (*_FOLDERS, *_EXTRAS)]
    return [path for path in (*named, *roots) if path.exists() and not (path in roots and path.is_symlink())]


def bound_paths(paths: Iterable[Path]) -> list[Path]:
    """Absolute paths to be bound, each under the name given and, where links lead elsewhere, under its
    real one too.

    Raises:
        ConfinementError: one of them does not exist, or is a home folder or lies above it.
    """
    home = Path.home().resolve()
    found: dict[Path, None] = {}
    for path in paths:
        absolute = Path(os.path.normpath(path.absolute()))
        if not absolute.exists():
            raise ConfinementError(f"{path} does not exist and cannot be mounted into the sandbox")
        if home.is_relative_to(absolute.resolve()):
            raise ConfinementError(
                f"{path} contains your home folder, which the sandbox must not see; use a folder inside it"
            )
        for name in (absolute, absolute.resolve()):
            if not _of_system(name):
                found.setdefault(name)
    return list(found)


def device_paths(paths: Iterable[Path]) -> list[Path]:
    """Device files that a program asked for.

    Raises:
        ConfinementError: one of them is no device file of /dev.
    """
    found = list(paths)
    for path in found:
        if not path.is_relative_to("/dev") or not path.is_char_device():
            raise ConfinementError(f"{path} is not a device that the sandbox can pass on")
    return found


def device_facts() -> list[Path]:
    """What the kernel says of devices and their places, which a driver looks at."""
    return [path for path in map(Path, _DEVICE_FACTS) if path.exists()]


@cache
def read_only() -> Sequence[Path]:
    """Of /proc: what must not be written, whoever runs the tool."""
    return [path for path in map(Path, _READ_ONLY) if path.exists()]


@cache
def hidden(*, device: bool) -> Sequence[Path]:
    """Of /proc and, with devices, of /sys: what tells of the machine and its other users."""
    paths = [Path("/proc", name) for name in _HIDDEN]
    return [path for path in (*paths, *map(Path, _HIDDEN_OF_DEVICES if device else ())) if path.exists()]


@cache
def hidden_from_root() -> Sequence[Path]:
    """Of /proc: what is hidden besides from a program that runs as root."""
    return [path for name in _ROOTS_OWN if (path := Path("/proc", name)).exists()]


def program(name: str, environment: Mapping[str, str]) -> str:
    """Where a program lies, looked up as the confined program would look it up.

    Raises:
        ConfinementError: there is none.
    """
    import shutil

    path = shutil.which(name, path=environment.get("PATH", _SEARCH_PATH))
    if path is None:
        raise ConfinementError(f"the program {name} was not found")
    return str(Path(path).absolute())


def clean_environment(given: Mapping[str, str]) -> dict[str, str]:
    """The whole environment of a confined program: nothing of ours, and what the caller gives.

    HOME and TMPDIR are added where the program's own folder is known.
    """
    return {"PATH": _SEARCH_PATH, "LANG": "C.UTF-8", **given}


def _of_system(path: Path) -> bool:
    covered = [*system_paths(), *system_links()]
    return any(path.is_relative_to(folder) for folder in covered)
