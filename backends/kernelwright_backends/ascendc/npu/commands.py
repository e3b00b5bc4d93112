"""Command lines of CANN's programs. Pure: nothing is run here."""

import shlex
from collections.abc import Sequence
from pathlib import Path, PurePath

from kernelwright_backends.ascendc.npu.installation import Cann
from kernelwright_backends.core.target import Target
from kernelwright_backends.interfaces.build import CompileOptions

# The instruction set of the 910B, as the compiler calls it.
ARCHITECTURES = {"910b": "dav-2201"}
_SOC = {"910b1": "Ascend910B1", "910b2": "Ascend910B2", "910b3": "Ascend910B3", "910b4": "Ascend910B4"}


def soc_name(target: Target) -> str:
    """The chip as CANN's tools call it: `Ascend910B2`."""
    return _SOC[target.product]


def compile_file(
    cann: Cann, source: Path, output: PurePath, target: Target, options: CompileOptions = CompileOptions()
) -> list[str]:
    """One file with device and host code into one shared library."""
    return [
        str(cann.program("bisheng")), f"--npu-arch={ARCHITECTURES[target.architecture]}", "-xasc",
        f"-std={options.std or 'c++17'}", "-O2", "-fPIC", "-shared", "-fdiagnostics-format=clang", "-fno-color-diagnostics",
        *(f"-I{folder}" for folder in options.include), *(f"-D{name}" for name in options.define), *options.flags,
        str(source), "-o", str(output),
    ]  # fmt: skip


def create_project(cann: Cann, prototype: Path, folder: Path, target: Target) -> list[str]:
    """An operator project from its JSON prototype."""
    return [
        str(cann.program("msopgen")), "gen", "-i", str(prototype), "-c", f"ai_core-{soc_name(target)}", "-lan", "cpp",
        "-out", str(folder),
    ]  # fmt: skip


def build_project(folder: Path) -> list[str]:
    """Run in the project's folder: it has a script of its own."""
    return ["bash", str(folder / "build.sh")]


def install_project(package: Path, into: Path) -> list[str]:
    """Unpack what a project's build made, `build_out/custom_opp_*.run`, for this user alone."""
    return ["bash", str(package), f"--install-path={into}", "--quiet"]


def profile(cann: Cann, command: Sequence[str], output: Path) -> list[str]:
    """Times of all kernels that a program starts: `op_summary_*.csv` below `output`."""
    return [
        str(cann.program("msprof")), f"--output={output}", "--ascendcl=off", "--task-time=on", "--aic-metrics=PipeUtilization",
        f"--application={shlex.join(command)}",
    ]  # fmt: skip


def profile_kernel(cann: Cann, command: Sequence[str], output: Path, kernel: str) -> list[str]:
    """Metrics of one kernel, core by core: `OpBasicInfo.csv`, `PipeUtilization.csv` and more below `output`."""
    program = cann.programs.get("msopprof")
    start = [str(program)] if program is not None else [str(cann.program("msprof")), "op"]
    return [*start, f"--kernel-name={kernel}", "--warm-up=10", f"--output={output}", *command]
