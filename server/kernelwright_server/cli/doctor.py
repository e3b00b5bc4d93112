"""`kernelwright doctor`: what is installed, and how to install what is missing."""

import argparse
import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from rich.text import Text

from kernelwright_backends.display.redaction import redacted
from kernelwright_backends.display.visible import visible_line
from kernelwright_backends.interfaces.dialect import Component
from kernelwright_backends.untrusted.programs import on_path
from kernelwright_server.cli.settings import add_trust, configuration_for
from kernelwright_server.cli.terminal import Terminal

_MODEL_KEYS = {
    "OPENAI_API_KEY": "OpenAI",
    "ANTHROPIC_API_KEY": "Anthropic",
    "GEMINI_API_KEY": "Gemini",
    "DEEPSEEK_API_KEY": "DeepSeek",
    "OPENROUTER_API_KEY": "OpenRouter",
    "AZURE_API_KEY": "Azure",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--verbose", action="store_true", help="list every key and path that was checked")
    add_trust(parser)


def run(arguments: argparse.Namespace) -> int:
    """0 if everything that is needed is here, else 2."""
    console = Terminal()
    missing = False
    for look in _CHECKS:
        for check in look(arguments):
            mark = ("✓", "green") if check.found else ("✗", "red") if check.needed else ("-", "dim")
            # One line each, whatever its width: a path that is broken cannot be copied.
            line = Text.assemble(mark, f" {visible_line(check.what)}: {visible_line(redacted(check.said))}")
            console.print(line, soft_wrap=True)
            if not check.found and check.remedy:
                console.print(Text(f"    {visible_line(check.remedy)}", style="dim"), soft_wrap=True)
            missing |= check.needed and not check.found
    console.print()
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


def _python(_: argparse.Namespace) -> list[Component]:
    version = sys.version.split()[0]
    return [
        Component(
            "Python",
            sys.version_info >= (3, 11),
            True,
            f"{version} ({sys.executable})",
            "use Python 3.11 or later",
        )
    ]


def _compilers(_: argparse.Namespace) -> list[Component]:
    checks = []
    for name, needed, remedy in (
        ("g++", True, "apt-get install g++ (12 or later)"),
        ("clang++", False, "optional, as a second compiler"),
    ):
        checks.append(_program(name, needed, remedy))
    checks.append(_program("addr2line", True, "apt-get install binutils"))
    return checks


def _program(name: str, needed: bool, remedy: str) -> Component:
    path = on_path(name)
    said = _first_line([path, "--version"]) if path else "not found"
    return Component(name, path is not None, needed, said, remedy)


def _first_line(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"does not respond ({error.__class__.__name__})"
    return (done.stdout or done.stderr).strip().split("\n")[0]


def _sandbox(_: argparse.Namespace) -> list[Component]:
    from kernelwright_verifier.sandbox import attempts

    tried = attempts()
    usable = any(attempt.works for attempt in tried)
    return [
        Component(
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


def _reference(arguments: argparse.Namespace) -> list[Component]:
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
        return [Component("reference (torch)", False, True, str(path), str(error))]
    return [
        Component(
            "reference (torch)",
            True,
            True,
            f"torch {interpreter.torch}, Python {interpreter.python} ({path})",
        )
    ]


def _devices(arguments: argparse.Namespace) -> list[Component]:
    from kernelwright_backends.core.registry import supports
    from kernelwright_verifier.sandbox import attempts

    confined = any(attempt.name == "bubblewrap" and attempt.works for attempt in attempts())
    checks: list[Component] = []
    for support in supports():
        checks += support.installed(confined=confined)
        if support.times_eager_torch:
            checks.append(_eager(arguments))
    return checks


def _eager(arguments: argparse.Namespace) -> Component:
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
        return Component("eager PyTorch on the GPU", False, False, str(error), remedy)
    if interpreter.cuda is None:
        said = f"torch {interpreter.torch} of {path} was built without CUDA"
        return Component("eager PyTorch on the GPU", False, False, said, remedy)
    return Component(
        "eager PyTorch on the GPU", True, False, f"torch {interpreter.torch}, CUDA {interpreter.cuda}"
    )


def _targets(arguments: argparse.Namespace) -> list[Component]:
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
            Component(
                f"targets: {dialect}",
                True,
                False,
                said + (f" ({chosen.unused_device})" if chosen.unused_device else ""),
            )
        )
    return checks


def _models(arguments: argparse.Namespace) -> list[Component]:
    named = [name for key, name in _MODEL_KEYS.items() if os.environ.get(key)]
    looked_at = f" (looked at {', '.join(_MODEL_KEYS)})" if arguments.verbose else ""
    return [
        Component(
            "model keys",
            bool(named),
            False,
            ", ".join(named) or f"none{looked_at}",
            "optional: templates write the candidates; set a key in the environment and pass --generator MODEL "
            "to use a model",
        )
    ]


def _places(_: argparse.Namespace) -> list[Component]:
    from kernelwright_backends.storage.folders import cache_folder, configuration_folder, data_folder

    checks = []
    for what, ask, needed in (("cache", cache_folder, True), ("data", data_folder, True)):
        try:
            folder: Path = ask()
            free = shutil.disk_usage(folder).free >> 20
            checks.append(
                Component(
                    what,
                    free > 512,
                    needed,
                    f"{folder}, {free} MiB free",
                    "free disk space, or set XDG_CACHE_HOME",
                )
            )
        except OSError as error:
            checks.append(
                Component(
                    what,
                    False,
                    needed,
                    f"{error.strerror}: {error.filename}",
                    "set XDG_CACHE_HOME, XDG_DATA_HOME",
                )
            )
    checks.append(Component("user settings", True, False, str(configuration_folder())))
    return checks


_CHECKS: tuple[Callable[[argparse.Namespace], list[Component]], ...] = (
    _python,
    _compilers,
    _sandbox,
    _reference,
    _devices,
    _targets,
    _models,
    _places,
)
