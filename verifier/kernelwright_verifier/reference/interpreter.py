"""The Python interpreter that has torch: which one it is, where it lies, what it holds."""

import asyncio
import json
import os
import sys
from pathlib import Path
from weakref import WeakKeyDictionary

from kernelwright_backends.core.model import Model

ENVIRONMENT_VARIABLE = "KERNELWRIGHT_REFERENCE_PYTHON"
OLDEST_PYTHON = (3, 10)
_TIMEOUT_S = 30.0
# Asks without importing torch, which takes a second.
_QUESTION = r"""
import importlib.metadata, importlib.util, json, pathlib, re, sys, sysconfig
spec = importlib.util.find_spec("torch")
try:
    torch = importlib.metadata.version("torch") if spec else None
except importlib.metadata.PackageNotFoundError:
    torch = "unknown"
try:
    text = pathlib.Path(spec.origin).with_name("version.py").read_text() if spec and spec.origin else ""
except OSError:
    text = ""
cuda = re.search(r"^cuda\b[^=]*=\s*['\"]([\d.]+)", text, re.MULTILINE)
paths = sysconfig.get_paths()
folders = [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix]
folders += [paths["purelib"], paths["platlib"]]
folders += [p for p in sys.path if p.endswith(("site-packages", "dist-packages"))]
print(json.dumps({"python": sys.version.split()[0], "torch": torch, "cuda": cuda and cuda[1], "folders": folders}))
"""


class InterpreterError(Exception):
    """It cannot serve as the reference's: the message says which, why, and how to name another."""


class Interpreter(Model):
    """An interpreter that was asked what it is."""

    path: Path
    python: str
    torch: str
    cuda: str | None = None
    """the CUDA that torch was built with; None: it runs on the CPU alone"""
    folders: tuple[Path, ...]
    """what it must be able to read: prefixes and site-packages"""


def chosen_interpreter(setting: Path | None) -> Path:
    """The setting, else the environment's, else the interpreter that runs this."""
    named = setting or os.environ.get(ENVIRONMENT_VARIABLE)
    path = (Path(named).expanduser() if named else Path(sys.executable)).absolute()
    # `..` means nothing where a sandbox has not all of the folders; the last name is a virtual environment's own link.
    return path.parent.resolve() / path.name


_known: dict[Path, tuple[Interpreter, tuple[int, ...]]] = {}
_asking: "WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock]" = WeakKeyDictionary()


async def inspect_interpreter(path: Path) -> Interpreter:
    """An interpreter's version, torch's, and its folders; asked once, until something is installed there.

    Raises:
        InterpreterError: it does not start, or has no torch.
    """
    # Several documents are opened at once: one process answers for all.
    async with _asking.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
        known = _known.get(path)
        if known is not None and known[1] == _times(path, known[0]):
            return known[0]
        found = await _ask(path)
        _known[path] = found, _times(path, found)
        return found


def _times(path: Path, interpreter: Interpreter) -> tuple[int, ...]:
    """When the interpreter and the folders of its packages last changed; an installation changes one of them."""
    times = []
    for place in (path, *interpreter.folders):
        try:
            times.append(place.stat().st_mtime_ns)
        except OSError:
            times.append(-1)
    return tuple(times)


async def _ask(path: Path) -> Interpreter:
    remedy = (
        "install torch there, or name another interpreter: `[reference] interpreter` in kernelwright.toml, "
        f"or {ENVIRONMENT_VARIABLE}"
    )
    try:
        process = await asyncio.create_subprocess_exec(
            str(path),
            "-I",
            "-c",
            _QUESTION,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={"PATH": os.defpath, "LC_ALL": "C.UTF-8"},
        )
    except OSError as error:
        raise InterpreterError(f"{path} cannot be started ({error.strerror}); {remedy}") from None
    try:
        out, err = await asyncio.wait_for(process.communicate(), _TIMEOUT_S)
    except TimeoutError:
        raise InterpreterError(f"{path} did not answer within {_TIMEOUT_S:g} s; {remedy}") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    try:
        answer = json.loads(out)
        torch, folders = answer["torch"], answer["folders"]
    except (ValueError, KeyError, TypeError):
        said = err.decode(errors="replace").strip().rpartition("\n")[2]
        raise InterpreterError(
            f"{path} is not a Python interpreter{f' ({said})' if said else ''}; {remedy}"
        ) from None
    if tuple(map(int, answer["python"].split(".")[:2])) < OLDEST_PYTHON:
        oldest = ".".join(map(str, OLDEST_PYTHON))
        raise InterpreterError(
            f"{path} is Python {answer['python']}, but {oldest} or later is required; {remedy}"
        )
    if torch is None:
        raise InterpreterError(f"{path} (Python {answer['python']}) has no torch; {remedy}")
    existing = dict.fromkeys(Path(folder) for folder in folders if Path(folder).is_dir())
    return Interpreter(
        path=path, python=answer["python"], torch=torch, cuda=answer.get("cuda"), folders=tuple(existing)
    )
