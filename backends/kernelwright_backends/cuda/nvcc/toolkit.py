"""nvcc and what is made with it once: the driver program."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from kernelwright_backends.storage.build_once import compile_all, make_once
from kernelwright_backends.storage.content_key import content_key
from kernelwright_backends.storage.folders import cache_folder
from kernelwright_backends.untrusted.programs import believed_path, on_path

_CUDA = Path(__file__).resolve().parents[1]
INCLUDE = _CUDA / "gpu" / "include"
DRIVER = _CUDA / "gpu" / "driver"
SHIM = _CUDA / "shim"
_HOST_RUNTIME = _CUDA.parent / "host" / "runtime"
# The parts of the host's runtime that know nothing of the CPU target.
_OF_BOTH = (_HOST_RUNTIME / "json.cpp", _HOST_RUNTIME / "element_types.cpp")
_OLDEST = (12, 0)


class ToolkitMissing(RuntimeError):
    """No nvcc that is new enough; the message says where it was looked for and what to install."""


@dataclass(frozen=True)
class Toolkit:
    nvcc: Path
    root: Path
    version: str
    runtime: Path  # libcudart

    @property
    def environment(self) -> dict[str, str]:
        return {"PATH": f"{self.nvcc.parent}:/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8"}


def places() -> tuple[Path, ...]:
    """Where an nvcc may be, the first that exists counts."""
    named = [
        Path(value) / "bin" / "nvcc" for name in ("CUDA_HOME", "CUDA_PATH") if (value := os.environ.get(name))
    ]
    found = on_path("nvcc")
    wheels = sorted(Path(sys.prefix, "lib").glob("python3*/site-packages/nvidia/cu1[2-9]/bin/nvcc"))
    return (*named, *([Path(found)] if found else []), Path("/usr/local/cuda/bin/nvcc"), *wheels)


@cache
def find_toolkit() -> Toolkit:
    """The toolkit that CUDA_HOME or CUDA_PATH names, else that of the nvcc on the path, else a usual place.

    Raises:
        ToolkitMissing: there is none, it does not answer, or it is older than 12.0.
    """
    looked = places()
    nvcc = next((path for path in looked if os.access(path, os.X_OK)), None)
    if nvcc is None:
        raise ToolkitMissing(
            "no nvcc was found (looked in CUDA_HOME, CUDA_PATH, PATH and /usr/local/cuda); install the CUDA toolkit, "
            "or pip install kernelwright[nvcc]"
        )
    said = _ask(nvcc, "--version")
    version = re.search(r"release \S+, V(\d+)\.(\d+)\.(\d+)", said)
    top = re.search(r"^#\$ TOP=(\S+)$", _ask(nvcc, "--dryrun", "-x", "cu", "-c", os.devnull), re.MULTILINE)
    if version is None or top is None:
        raise ToolkitMissing(f"{nvcc} is not a working nvcc: {said.strip()[-200:]}")
    if (int(version[1]), int(version[2])) < _OLDEST:
        raise ToolkitMissing(
            f"{nvcc} is {version[1]}.{version[2]}; install CUDA {_OLDEST[0]}.{_OLDEST[1]} or newer"
        )
    root = Path(os.path.normpath(top[1]))
    folders = (root / "lib64", root / "lib", *sorted(root.glob("targets/*/lib")))
    runtime = next((file for folder in folders for file in sorted(folder.glob("libcudart.so*"))), None)
    if runtime is None:
        raise ToolkitMissing(f"{root} has no libcudart.so; install CUDA's runtime library")
    return Toolkit(root / "bin" / "nvcc", root, ".".join(version.groups()), runtime.resolve())


@cache
def toolkit_for(architecture: str, driver: str) -> Toolkit:
    """The toolkit, if what it makes for an architecture runs under a driver.

    Args:
        driver: the newest CUDA that it takes, `13.0`; empty where that is not known.

    Raises:
        ToolkitMissing: there is none, or it is too old for the chip or too new for the driver.
    """
    toolkit = find_toolkit()
    made = re.findall(r"sm_\d+\w?", _ask(toolkit.nvcc, "--list-gpu-code"))
    if made and architecture not in made:
        raise ToolkitMissing(
            f"{toolkit.nvcc} ({toolkit.version}) does not support {architecture}; install a newer CUDA toolkit"
        )
    if driver and int(driver.split(".")[0]) < int(toolkit.version.split(".")[0]):
        raise ToolkitMissing(
            f"{toolkit.nvcc} is {toolkit.version}, but the driver supports CUDA {driver} at most; update the driver, or "
            "name an older toolkit in CUDA_HOME"
        )
    return toolkit


def find_disassembler() -> Path:
    """nvdisasm of the toolkit, of the path, or of the extra `kernelwright[nvcc]`.

    Raises:
        ToolkitMissing: there is none.
    """
    found = on_path("nvdisasm")
    looked = [find_toolkit().root / "bin" / "nvdisasm", *([Path(found)] if found else [])]
    looked += sorted(Path(sys.prefix, "lib").glob("python3*/site-packages/nvidia/cu1[2-9]/bin/nvdisasm"))
    for path in looked:
        if os.access(path, os.X_OK):
            return path.resolve()
    raise ToolkitMissing(
        "nvdisasm, which SASS needs, was not found in the toolkit or on the path; pip install kernelwright[nvcc] "
        "(PTX does not need it)"
    )


def _ask(nvcc: Path, *arguments: str) -> str:
    try:
        answer = subprocess.run(
            [str(nvcc), *arguments],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            env={**os.environ, "PATH": believed_path()},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return answer.stdout + answer.stderr


@cache
def source_hash() -> str:
    """Of the driver and of every header that a candidate may include from us."""
    files = [*sorted(DRIVER.iterdir()), *_OF_BOTH, *sorted(_HOST_RUNTIME.glob("*.h"))]
    files += [path for root in (INCLUDE, SHIM) for path in sorted(root.rglob("*")) if path.is_file()]
    return content_key(((file.name, file.read_bytes()) for file in files), digits=16)


def build_driver(toolkit: Toolkit, architecture: str) -> Path:
    """The runner, compiled when it is not in the cache yet (ten seconds).

    Raises:
        BuildError: our own sources do not compile here.
    """

    def make(temporary: Path) -> None:
        sources = [*sorted(DRIVER.glob("*.cpp")), *sorted(DRIVER.glob("*.cu")), *_OF_BOTH]
        argv = [
            str(toolkit.nvcc), "-std=c++20", "-O2", f"-arch={architecture}", "-isystem", str(SHIM), "-w",
            # The candidate's calls of the runtime come to the driver's own library: one state for both.
            "-cudart", "none", "-Xcompiler", "-fPIE,-w", "-Xlinker", "--export-dynamic",
            "-Xlinker", "--no-as-needed", *map(str, sources), "-Xlinker", str(toolkit.runtime), "-Xlinker",
            f"-rpath={toolkit.runtime.parent}", "-ldl", "-lpthread", "--threads", "0", "-o", str(temporary),
        ]  # fmt: skip
        compile_all([argv], toolkit.environment)

    return make_once(
        cache_folder("cuda-gpu", "driver") / f"{toolkit.version}-{architecture}-{source_hash()}", make
    )
