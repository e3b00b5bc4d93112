"""g++: which one compiles candidates on this host, and the warnings of it that are worth a finding."""

import re
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from kernelwright_backends.untrusted.programs import on_path

_OLDEST = 12

# What points to a mistake and nothing else, by the compiler's front end alone: what its optimiser guesses of traced code is
# of no use to anybody.
WARNINGS = (
    "-Wreturn-type", "-Wparentheses", "-Wformat", "-Wint-in-bool-context", "-Wbool-compare", "-Wtautological-compare",
    "-Wlogical-not-parentheses", "-Wsizeof-pointer-div", "-Wsizeof-array-div", "-Wmemset-transposed-args",
    "-Wsequence-point", "-Wdiv-by-zero", "-Woverflow", "-Wshift-count-overflow", "-Wshift-count-negative",
    "-Wtype-limits",
)  # fmt: skip
X86_FLAGS = ("-mfma", "-mf16c")


class CompilerMissing(RuntimeError):
    """No g++ that is new enough; the message says what to install."""


@dataclass(frozen=True)
class Compiler:
    path: Path
    version: str
    machine: str
    linker: str | None  # -fuse-ld=...

    @property
    def is_x86(self) -> bool:
        return self.machine.startswith("x86_64")


@cache
def find_compiler() -> Compiler:
    """The newest g++ on the path.

    Raises:
        CompilerMissing: there is none, or only older ones than 12.
    """
    best: Compiler | None = None
    for name in ("g++-15", "g++-14", "g++-13", "g++", "g++-12"):
        found = on_path(name)
        if found is None:
            continue
        version, machine = ask(found, "-dumpfullversion"), ask(found, "-dumpmachine")
        if re.match(r"\d+", version) and int(version.split(".")[0]) >= _OLDEST:
            best = Compiler(Path(found), version, machine, _linker())
            break
    if best is None:
        raise CompilerMissing(
            f"no g++ {_OLDEST} or newer was found; install it (Debian, Ubuntu: apt install g++) to run kernels on the CPU"
        )
    return best


def ask(program: str, question: str) -> str:
    """What a compiler says of itself."""
    return subprocess.run([program, question], capture_output=True, text=True, check=False).stdout.strip()


def _linker() -> str | None:
    for name, program in (("mold", "mold"), ("gold", "ld.gold")):
        if on_path(program):
            return f"-fuse-ld={name}"
    return None
