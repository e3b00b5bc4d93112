"""What is compiled once for all candidates, by whichever process needs it first: drivers, precompiled headers."""

import fcntl
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType

from kernelwright_backends.upkeep import touch

_TURN_S = 0.05
_running: set[subprocess.Popen[bytes]] = set()
_ended = threading.Event()


class BuildError(RuntimeError):
    """Our own sources did not compile: a fault of Kernelwright or of the compiler."""


def make_once(target: Path, make: Callable[[Path], None]) -> Path:
    """`target`, made by `make(temporary)` and renamed if it is not there yet."""
    if target.exists():
        touch(target)
        return target
    with _locked(target):
        if not target.exists():
            temporary = target.with_name(f".{target.name}.{os.getpid()}")
            try:
                make(temporary)
                temporary.replace(target)
            finally:
                if temporary.is_dir():
                    shutil.rmtree(temporary, ignore_errors=True)
                else:
                    temporary.unlink(missing_ok=True)
    return target


@contextmanager
def _locked(target: Path) -> Iterator[None]:
    """One process at a time makes `target`; the lock goes with the process, however it ends."""
    with target.with_name(f".{target.name}.lock").open("w") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if _ended.wait(_TURN_S):
                    raise BuildError(f"the process ends while another one makes {target.name}") from None
        yield


def build_program(program: Path, compiler: Sequence[str], sources: Iterable[Path]) -> None:
    """A program that lets what it loads find its own functions. The objects lie beside it meanwhile.

    Args:
        compiler: g++ with its flags.

    Raises:
        BuildError: see `compile_all`.
    """
    with tempfile.TemporaryDirectory(dir=program.parent, prefix=f"{program.name}.") as work:
        objects = {source: f"{work}/{source.stem}.o" for source in sources}
        compile_all([*compiler, "-c", str(source), "-o", made] for source, made in objects.items())
        compile_all([[compiler[0], "-rdynamic", *objects.values(), "-ldl", "-o", str(program)]])


def compile_all(
    commands: Iterable[Sequence[str]], environment: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Runs compilers, as many at once as there are cores.

    Args:
        environment: beside what the process has.

    Raises:
        BuildError: one of them failed, with its words, or the process is about to end.
    """
    begun: list[tuple[Sequence[str], subprocess.Popen[bytes]]] = []
    try:
        for command in commands:
            begun.append((command, _begun(command, environment)))
            if len(begun) >= (os.cpu_count() or 1):
                _wait_for(begun)
        _wait_for(begun)
    finally:
        for _, process in begun:
            _kill(process)
            process.communicate()
            _running.discard(process)


def _begun(command: Sequence[str], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, **environment}
    )
    _running.add(process)
    if _ended.is_set():  # looked at behind the addition: whoever ends all of them sees this one, or is seen
        _kill(process)
    return process


def _kill(process: subprocess.Popen[bytes]) -> None:
    """A compiler's driver and what it runs. They stay in our own group: an interrupt at a terminal is for them too."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    with suppress(OSError):
        for child in children.read_text(encoding="ascii").split():
            os.kill(int(child), signal.SIGKILL)
    process.kill()


def _wait_for(begun: list[tuple[Sequence[str], subprocess.Popen[bytes]]]) -> None:
    while begun:
        command, process = begun[0]
        output, _ = process.communicate()
        _running.discard(process)
        begun.pop(0)
        if process.returncode:
            words = output.decode(errors="replace").strip()[-2000:]
            raise BuildError(f"{' '.join(command[:3])} ... failed: {words or process.returncode}")


def end() -> None:
    """Ends all compilers, for the process is about to end: whoever waits for one has a BuildError, and nothing is built any more.
    What they began is made anew by the next process."""
    _ended.set()
    for process in tuple(_running):
        _kill(process)
