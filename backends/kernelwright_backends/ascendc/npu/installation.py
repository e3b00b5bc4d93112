"""What of CANN and of the devices is here: found by its folders, its device files and what npu-smi prints."""

import importlib.metadata
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from kernelwright_backends.core.model import Model
from kernelwright_backends.core.target import ARCHITECTURE, DEFAULT_PRODUCT, AvailableDevice, Target
from kernelwright_backends.untrusted.programs import on_path

_HOME = "ASCEND_HOME_PATH"
_USUAL = ("/usr/local/Ascend/cann", "/usr/local/Ascend/ascend-toolkit/latest", "/usr/local/Ascend/latest")
# Where programs lie below the home, in CANN 9 and 8.
_PROGRAMS = {
    "bisheng": ("bin", "compiler/ccec_compiler/bin", "tools/bisheng_compiler/bin"),
    "msopgen": ("python/site-packages/bin", "toolkit/python/site-packages/bin", "tools/msopgen/bin", "bin"),
    "msprof": ("tools/profiler/bin", "toolkit/tools/profiler/bin", "bin"),
    "msopprof": ("tools/msopprof/bin", "bin"),
}
_ROW = re.compile(r"^\|\s*(?P<id>\d+)\s+(?P<name>\S*\d\S*)\s*\|\s*(?P<health>[A-Za-z]+)\s*\|")
_ASK_S = 20.0


class CannMissing(RuntimeError):
    """No CANN was found; the message says where it was looked for and what to do."""


class NpuMissing(RuntimeError):
    """There is no NPU that a target could run on; the message says what is there and what to do."""


class Npu(Model):
    """One device as npu-smi tells of it."""

    number: int
    name: str
    """`910B3`"""
    health: str

    @property
    def product(self) -> str | None:
        """The product as targets call it, `910b3`; None for a device that is no 910B."""
        name = self.name.lower().removeprefix("ascend")
        return name if ARCHITECTURE.get(name) == "910b" else None

    @property
    def files(self) -> tuple[Path, ...]:
        """The device files that a program needs which runs on this device and no other."""
        shared = ("davinci_manager", "devmm_svm", "hisi_hdc")
        found = (Path("/dev", name) for name in (*shared, f"davinci{self.number}"))
        return tuple(path for path in found if path.exists())


class Cann(Model):
    """One installation."""

    home: Path
    version: str
    programs: Mapping[str, Path]

    def program(self, name: str) -> Path:
        """
        Raises:
            CannMissing: this installation does not have it.
        """
        if name not in self.programs:
            raise CannMissing(f"{self.home} has no {name}; install CANN's toolkit package")
        return self.programs[name]


def find_cann(environment: Mapping[str, str] | None = None) -> Cann:
    """The installation that ASCEND_HOME_PATH names, else the one in a usual place.

    Raises:
        CannMissing: there is none.
    """
    environment = os.environ if environment is None else environment
    named = environment.get(_HOME)
    if named and not Path(named).is_dir():
        raise CannMissing(
            f"{_HOME} is {named}, which is not a folder; source set_env.sh of an installed CANN"
        )
    home = next(
        (Path(place) for place in ((named,) if named else _USUAL) if place and Path(place).is_dir()), None
    )
    if home is None:
        raise CannMissing(
            f"no CANN was found (looked in {_HOME} and /usr/local/Ascend); install it and source its set_env.sh"
        )
    programs = {}
    for name, folders in _PROGRAMS.items():
        places = [home / folder / name for folder in folders]
        if found := on_path(name, environment.get("PATH")):
            places.append(Path(found))
        path = next((place for place in places if os.access(place, os.X_OK)), None)
        if path is not None:
            programs[name] = path
    return Cann(home=home, version=_version(home), programs=programs)


def torch_npu_version() -> str | None:
    """The version of torch_npu beside this interpreter; it is not imported, since that fails where CANN is missing."""
    try:
        return importlib.metadata.version("torch_npu")
    except importlib.metadata.PackageNotFoundError:
        return None


def _version(home: Path) -> str:
    """What the installation's own note says; the folder's name where there is none."""
    for note in (
        *sorted(home.glob("*_install.info")),
        *sorted(home.glob("*/*_install.info")),
        home / "version.cfg",
    ):
        try:
            text = note.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        if match := re.search(r"^version=(\S+)", text, re.MULTILINE | re.IGNORECASE):
            return match[1]
    return home.resolve().name


def read_npu_smi(text: str) -> tuple[Npu, ...]:
    """The devices in what `npu-smi info` prints: the upper line of each pair has number, name and health."""
    found: dict[int, Npu] = {}
    for line in text.splitlines():
        match = _ROW.match(line.strip())
        if match is not None:
            number = int(match["id"])
            found.setdefault(number, Npu(number=number, name=match["name"], health=match["health"]))
    return tuple(found.values())


def find_npus() -> tuple[Npu, ...]:
    """The devices here; none where there are no device files or npu-smi does not answer."""
    if not any(Path("/dev").glob("davinci[0-9]*")):
        return ()
    program = on_path("npu-smi") or "/usr/local/bin/npu-smi"
    try:
        answer = subprocess.run(
            [program, "info"], capture_output=True, text=True, timeout=_ASK_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return read_npu_smi(answer.stdout)


def npu_for(target: Target, npus: tuple[Npu, ...]) -> Npu:
    """The first healthy device of the target's chip, or the one of the target's number.

    Raises:
        NpuMissing: there is none.
    """
    wanted = [
        npu
        for npu in npus
        if npu.product is not None
        and target.chip in (npu.product, "910b")
        and target.number in (None, npu.number)
    ]
    healthy = next((npu for npu in wanted if npu.health == "OK"), None)
    if healthy is not None:
        return healthy
    if wanted:
        states = ", ".join(f"{npu.number} {npu.name}: {npu.health}" for npu in wanted)
        raise NpuMissing(f"{target} is not available: no device is healthy ({states}); npu-smi shows why")
    there = ", ".join(npu.name for npu in npus) or "none"
    raise NpuMissing(
        f"{target} is not available: no such NPU is here (found: {there}); use ascendc:910b@cpu to run on the CPU"
    )


def chosen(npus: tuple[Npu, ...], problem: str) -> AvailableDevice:
    """What `auto` takes: the first healthy device that is a 910B.

    Args:
        problem: why nothing can be built for it; empty where that is well.
    """
    mine = [npu for npu in npus if npu.product is not None]
    if not mine:
        return AvailableDevice()
    healthy = next((npu for npu in mine if npu.health == "OK"), None)
    if healthy is None:
        return AvailableDevice(name=mine[0].name, problem=f"npu-smi reports its health as {mine[0].health}")
    if problem:
        return AvailableDevice(name=healthy.name, problem=problem)
    usual = DEFAULT_PRODUCT["910b"]
    chip = "910b" if healthy.product == usual else healthy.product
    return AvailableDevice(
        target=Target(dialect="ascendc", chip=chip or "910b", where="npu"), name=healthy.name
    )
