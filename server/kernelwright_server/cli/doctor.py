"""`kernelwright doctor`: what is installed, and how to install what is missing."""

import argparse
import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rich import box
from rich.table import Table
from rich.text import Text

from kernelwright_backends.display.redaction import redacted
from kernelwright_backends.display.visible import visible_line
from kernelwright_backends.untrusted.programs import on_path
from kernelwright_server.cli.settings import add_trust, configuration_for
from kernelwright_server.cli.terminal import Terminal

if TYPE_CHECKING:
    from kernelwright_backends.cuda.gpu.device import Device

_MODEL_KEYS = {
    "OPENAI_API_KEY": "OpenAI",
    "ANTHROPIC_API_KEY": "Anthropic",
    "GEMINI_API_KEY": "Gemini",
    "DEEPSEEK_API_KEY": "DeepSeek",
    "OPENROUTER_API_KEY": "OpenRouter",
    "AZURE_API_KEY": "Azure",
}


class Check(NamedTuple):
    """One thing that may be here."""

    what: str
    found: bool
    needed: bool
    said: str
    remedy: str = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--verbose", action="store_true", help="list every key and path that was checked")
    add_trust(parser)


def run(arguments: argparse.Namespace) -> int:
    """0 if everything that is needed is here, else 2."""
    console = Terminal()
    table = Table("", "what", box=box.SIMPLE)
    table.add_column("found", overflow="fold")
    table.add_column("what to do", overflow="fold")
    missing = False
    for look in _CHECKS:
        for check in look(arguments):
            mark = ("✓", "green") if check.found else ("✗", "red") if check.needed else ("-", "dim")
            cells = (check.what, redacted(check.said), "" if check.found else check.remedy)
            table.add_row(Text(*mark), *(Text(visible_line(text)) for text in cells))
            missing |= check.needed and not check.found
    console.print(table)
    if missing:
        missing_text = ("required components are missing", "red")
        console.print(Text.assemble(missing_text, "; kernels cannot be verified until they are installed"))
    else:
        console.print(f"ready: kernels run on the CPU target, where latency is estimated{_on_device()}")
    return 2 if missing else 0


def _on_device() -> str:
    """Where besides, if there is a device that can be used."""
    from kernelwright_backends.core.available_devices import look
    from kernelwright_backends.core.target import DEFAULT_TARGETS

    here = [found for found in map(look, DEFAULT_TARGETS) if found.target is not None]
    return "".join(f", then on the {found.name} ({found.target}), where it is measured" for found in here)


def _python(_: argparse.Namespace) -> list[Check]:
    version = sys.version.split()[0]
    return [
        Check(
            "Python",
            sys.version_info >= (3, 11),
            True,
            f"{version} ({sys.executable})",
            "use Python 3.11 or later",
        )
    ]


def _compilers(_: argparse.Namespace) -> list[Check]:
    checks = []
    for name, needed, remedy in (
        ("g++", True, "apt-get install g++ (12 or later)"),
        ("clang++", False, "optional, as a second compiler"),
    ):
        checks.append(_program(name, needed, remedy))
    checks.append(_program("addr2line", True, "apt-get install binutils"))
    return checks


def _program(name: str, needed: bool, remedy: str) -> Check:
    path = on_path(name)
    said = _first_line([path, "--version"]) if path else "not found"
    return Check(name, path is not None, needed, said, remedy)


def _first_line(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"does not respond ({error.__class__.__name__})"
    return (done.stdout or done.stderr).strip().split("\n")[0]


def _sandbox(_: argparse.Namespace) -> list[Check]:
    from kernelwright_verifier.sandbox import attempts

    tried = attempts()
    usable = any(attempt.works for attempt in tried)
    return [
        Check(
            f"sandbox: {attempt.name}",
            attempt.works,
            not usable,
            "; ".join(filter(None, (f"{attempt.version}, works", attempt.weakness)))
            if attempt.works
            else attempt.problem,
            attempt.remedy,
        )
        for attempt in tried
    ]


def _reference(arguments: argparse.Namespace) -> list[Check]:
    from kernelwright_verifier.reference.interpreter import (
        InterpreterError,
        chosen_interpreter,
        inspect_interpreter,
    )

    configuration = configuration_for(Path.cwd(), arguments)
    path = chosen_interpreter(configuration.reference.interpreter)
    try:
        interpreter = asyncio.run(inspect_interpreter(path))
    except InterpreterError as error:
        return [Check("reference (torch)", False, True, str(path), str(error))]
    return [
        Check(
            "reference (torch)",
            True,
            True,
            f"torch {interpreter.torch}, Python {interpreter.python} ({path})",
        )
    ]


def _devices(arguments: argparse.Namespace) -> list[Check]:
    return [*_gpus(arguments), *_npus()]


def _npus() -> list[Check]:
    from kernelwright_backends.ascendc.npu.installation import (
        CannMissing,
        find_cann,
        find_npus,
        torch_npu_version,
    )

    npus = find_npus()
    try:
        found = find_cann()
        missing = [name for name in ("bisheng", "msopgen", "msprof") if name not in found.programs]
        said = f"{found.version} ({found.home})" + (f", without {', '.join(missing)}" if missing else "")
        cann = Check("CANN", True, False, said)
    except CannMissing as problem:
        needed = "needed to build for the NPU" if npus else "not needed on the CPU target"
        cann = Check("CANN", False, False, str(problem), needed)
    there = ", ".join(f"{npu.number}: {npu.name} ({npu.health})" for npu in npus) or "none"
    launching = torch_npu_version()
    needed = "pip install kernelwright[ascend], only beside CANN" if npus else "not needed on the CPU target"
    return [
        cann,
        Check("torch_npu", launching is not None, False, launching or "not found", needed),
        Check("Ascend NPU", bool(npus), False, there, "not needed: Ascend C runs on the CPU target"),
    ]


def _gpus(arguments: argparse.Namespace) -> list[Check]:
    from kernelwright_backends.cuda.gpu.device import find_devices, target_of
    from kernelwright_backends.cuda.nvcc.toolkit import ToolkitMissing, find_toolkit, toolkit_for

    found = find_devices()
    numbered = len(found.devices) > 1
    there = ", ".join(
        f"{d.name} (target {target_of(d)}{f':{n}' if numbered else ''})" for n, d in enumerate(found.devices)
    )
    said = f"{there}; driver for CUDA {found.cuda}" if there else found.problem or "none"
    remedy = "repair the driver" if found.broken else "optional: kernels run on the CPU"
    try:
        first = next(iter(found.devices), None)
        toolkit = toolkit_for(first.architecture, found.cuda) if first is not None else find_toolkit()
        nvcc = Check("nvcc", True, False, f"{toolkit.version} ({toolkit.nvcc})")
    except ToolkitMissing as missing:
        needed = (
            "needed to run on the GPU" if found.devices else "pip install kernelwright[nvcc] (no GPU needed)"
        )
        nvcc = Check("nvcc", False, False, str(missing), needed)
    checks = [
        Check("NVIDIA GPU", bool(found.devices), False, said, remedy),
        nvcc,
        *_companions(bool(found.devices)),
    ]
    return [*checks, _neighbours(found.devices), _eager(arguments)] if found.devices else checks


def _companions(here: bool) -> list[Check]:
    """NVIDIA's checker and profiler, which are asked at the user's request; `here`: there is a GPU."""
    from kernelwright_backends.cuda.gpu.external_tools import COUNTERS_REMEDY, counters_permitted, find
    from kernelwright_backends.interfaces.toolchain import ToolUnavailable
    from kernelwright_verifier.sandbox import attempts

    confined = any(attempt.name == "bubblewrap" and attempt.works for attempt in attempts())
    checks = []
    for name, option in (("compute-sanitizer", "--sanitizer"), ("ncu", "--profile")):
        title = f"{name} ({option})"
        unneeded = "" if here else "; not needed without a GPU"
        try:
            program = find(name)
        except ToolUnavailable as missing:
            reason, _, remedy = str(missing).partition(": ")
            checks.append(Check(title, False, False, reason, (remedy or "reinstall it") + unneeded))
            continue
        said = f"{program.version} ({program.path})"
        if not confined:
            remedy = "it needs bubblewrap, which does not work here; use --no-sandbox for code you trust"
            checks.append(Check(title, False, False, said, remedy + unneeded))
        elif name == "ncu" and here and counters_permitted() is False:
            checks.append(
                Check(
                    title, False, False, f"{said}, without permission to read the counters", COUNTERS_REMEDY
                )
            )
        else:
            asked = (
                ", with permission to read the counters"
                if name == "ncu" and here and counters_permitted()
                else ""
            )
            checks.append(Check(title, True, False, said + asked))
    return checks


def _neighbours(devices: Sequence["Device"]) -> Check:
    """Who else is on the GPUs now: times are only true where nobody computes beside."""
    from kernelwright_backends.cuda.gpu.other_processes import programs_on

    listed = [(number, programs_on(device)) for number, device in enumerate(devices)]
    if any(programs is None for _, programs in listed):
        remedy = "NVIDIA's management library (libnvidia-ml.so.1, part of the driver) gives no answer"
        return Check("others on the GPU", False, False, "not known", remedy)
    named = [f"GPU {n}: {p}, {p.memory_bytes >> 20} MiB" for n, programs in listed for p in programs or ()]
    return Check("others on the GPU", True, False, "; ".join(named) or "nobody")


def _eager(arguments: argparse.Namespace) -> Check:
    """Whether eager PyTorch can be timed beside a kernel."""
    from kernelwright_verifier.reference.interpreter import (
        InterpreterError,
        chosen_interpreter,
        inspect_interpreter,
    )

    configuration = configuration_for(Path.cwd(), arguments)
    path = chosen_interpreter(configuration.reference.interpreter)
    remedy = "install torch with CUDA there, or name an interpreter that has it in [reference] interpreter"
    try:
        interpreter = asyncio.run(inspect_interpreter(path))
    except InterpreterError as error:
        return Check("eager PyTorch on the GPU", False, False, str(error), remedy)
    if interpreter.cuda is None:
        said = f"torch {interpreter.torch} of {path} was built without CUDA"
        return Check("eager PyTorch on the GPU", False, False, said, remedy)
    return Check(
        "eager PyTorch on the GPU", True, False, f"torch {interpreter.torch}, CUDA {interpreter.cuda}"
    )


def _targets(arguments: argparse.Namespace) -> list[Check]:
    """What is asked where nobody names a target."""
    from kernelwright_backends.core.available_devices import look
    from kernelwright_backends.core.target import DEFAULT_TARGETS
    from kernelwright_verifier.task.plan import chosen_targets

    configuration = configuration_for(Path.cwd(), arguments)
    checks = []
    for dialect in DEFAULT_TARGETS:
        chosen = chosen_targets(dialect, configuration, None, look(dialect))
        said = ", then ".join(map(str, (chosen.target, *chosen.further)))
        checks.append(
            Check(
                f"targets: {dialect}",
                True,
                False,
                said + (f" ({chosen.unused_device})" if chosen.unused_device else ""),
            )
        )
    return checks


def _models(arguments: argparse.Namespace) -> list[Check]:
    named = [name for key, name in _MODEL_KEYS.items() if os.environ.get(key)]
    looked_at = f" (looked at {', '.join(_MODEL_KEYS)})" if arguments.verbose else ""
    return [
        Check(
            "model keys",
            bool(named),
            False,
            ", ".join(named) or f"none{looked_at}",
            "optional: templates write the candidates; set a key in the environment and pass --generator MODEL "
            "to use a model",
        )
    ]


def _places(_: argparse.Namespace) -> list[Check]:
    from kernelwright_backends.storage.folders import cache_folder, configuration_folder, data_folder

    checks = []
    for what, ask, needed in (("cache", cache_folder, True), ("data", data_folder, True)):
        try:
            folder: Path = ask()
            free = shutil.disk_usage(folder).free >> 20
            checks.append(
                Check(
                    what,
                    free > 512,
                    needed,
                    f"{folder}, {free} MiB free",
                    "free disk space, or set XDG_CACHE_HOME",
                )
            )
        except OSError as error:
            checks.append(
                Check(
                    what,
                    False,
                    needed,
                    f"{error.strerror}: {error.filename}",
                    "set XDG_CACHE_HOME, XDG_DATA_HOME",
                )
            )
    checks.append(Check("user settings", True, False, str(configuration_folder())))
    return checks


_CHECKS: tuple[Callable[[argparse.Namespace], list[Check]], ...] = (
    _python,
    _compilers,
    _sandbox,
    _reference,
    _devices,
    _targets,
    _models,
    _places,
)
