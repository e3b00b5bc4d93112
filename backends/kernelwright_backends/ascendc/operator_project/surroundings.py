"""Facts of an operator project besides its code: the chip that it is built for, the element types of its prototype."""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from kernelwright_backends.core.target import ARCHITECTURE, DEFAULT_PRODUCT, Target
from kernelwright_backends.interfaces.operator_project import NamedChip
from kernelwright_backends.untrusted.parsing import parse_json
from kernelwright_backends.untrusted.reach import Reach

_LEVELS = 4
_LARGEST_BYTES = 1 << 18
_MOST_FILES = 200
_SOC = re.compile(r"\bAscend(\d{3}\w*)", re.IGNORECASE)
_SAYS_SOC = re.compile(r"\bSOC_VERSION\b|--soc-version\b|\bASCEND_COMPUTE_UNIT\b|\bsoc_version\b")
_BUILD_FILES = ("CMakeLists.txt", "run.sh", "build.sh", "cmake/npu_lib.cmake")
# torch's names of element types, as C++ types of a kernel.
_C_TYPES = {
    "float32": "float",
    "float16": "half",
    "bfloat16": "bfloat16_t",
    "float64": "double",
    "bool": "bool",
}


def built_for(path: Path) -> Target | None:
    """The chip that the project around a kernel is built for, on the CPU: `CMakePresets.json`, else `SOC_VERSION` of its build
    files. None where nothing says, or says only chips that are not known here."""
    named = _named_chips(path)
    known = [one.chip for one in named if ARCHITECTURE.get(one.chip, one.chip) == "910b"]
    if not known:
        return None
    # A product says more than its architecture.
    chip = next((c for c in known if c not in DEFAULT_PRODUCT), known[0])
    return Target(dialect="ascendc", chip=chip, where="cpu")


def other_chip(path: Path) -> NamedChip | None:
    """The first chip that the project around a kernel names, where it names none that is known here."""
    named = _named_chips(path)
    if any(ARCHITECTURE.get(one.chip, one.chip) == "910b" for one in named):
        return None
    return next(iter(named), None)


def _named_chips(path: Path) -> list[NamedChip]:
    """Those of the nearest folder that names any."""
    reach = Reach(path)
    for folder in list(path.parents)[:_LEVELS]:
        if not reach.holds(folder):
            break
        presets = folder / "CMakePresets.json"
        found = [(unit, presets, f'"{unit}') for unit in _preset_units(presets, reach)]
        for name in _BUILD_FILES if not found else ():
            found += [
                (unit, folder / name, line)
                for line in _text(folder / name, reach).splitlines()
                if _SAYS_SOC.search(line)
                for unit in _SOC.findall(line)
            ]
        if found:
            return [
                NamedChip(unit.lower().removeprefix("ascend"), file, _line_of(file, words, reach))
                for unit, file, words in found
            ]
    return []


def _line_of(file: Path, words: str, reach: Reach) -> int:
    lines = _text(file, reach).splitlines()
    wanted = words.strip('"')
    return next((number for number, line in enumerate(lines, 1) if wanted in line), 1)


def _preset_units(file: Path, reach: Reach) -> Iterator[str]:
    read = _json(file, reach)
    presets = read.get("configurePresets", []) if isinstance(read, dict) else []
    for preset in presets if isinstance(presets, list) else []:
        variables = preset.get("cacheVariables", {}) if isinstance(preset, dict) else {}
        unit = variables.get("ASCEND_COMPUTE_UNIT") if isinstance(variables, dict) else None
        value = unit.get("value") if isinstance(unit, dict) else unit
        if isinstance(value, str):
            yield from filter(None, value.split(";"))


class PortTypes(NamedTuple):
    """A tensor of an operator's prototype, with the C++ types that it may have."""

    name: str
    is_input: bool
    types: tuple[str, ...]


def prototypes(path: Path) -> Iterator[tuple[str, tuple[PortTypes, ...]]]:
    """The operators of msopgen's JSON files around a kernel, nearest first."""
    from kernelwright_backends.ascendc.operator_bundle.prototype import read_prototypes
    from kernelwright_backends.interfaces.operator_bundle import BundleError

    reach = Reach(path)
    for file in prototype_files(path):
        try:
            found = read_prototypes(_text(file, reach))
        except BundleError:
            continue  # not for us to judge
        for operator in found:
            ports = [(t, True) for t in operator.inputs] + [(t, False) for t in operator.outputs]
            yield (
                operator.name,
                tuple(
                    PortTypes(t.name, is_input, tuple(_C_TYPES.get(e, f"{e}_t") for e in t.elements))
                    for t, is_input in ports
                ),
            )


def prototype_files(path: Path) -> Iterator[Path]:
    """msopgen's JSON files around a kernel, nearest first."""
    reach = Reach(path)
    for folder in list(path.parents)[:3]:
        if not reach.holds(folder):
            return
        try:
            files = sorted(islice(folder.glob("*.json"), _MOST_FILES))
        except OSError:
            continue
        yield from (file for file in files if '"input_desc"' in _text(file, reach))


def _json(file: Path, reach: Reach) -> Any:
    try:
        return parse_json(_text(file, reach) or "null")
    except ValueError:
        return None


def _text(file: Path, reach: Reach) -> str:
    """What stands in a file of the project; nothing where it leads out of it, or cannot be read."""
    try:
        return reach.read(file, limit_bytes=_LARGEST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
