"""What a linked CUDA candidate consists of: device-wide algorithms among its functions, features among its missing names."""

import re

from kernelwright_backends.core.finding import Finding
from kernelwright_backends.cuda.cpu import prebuilt as tools
from kernelwright_backends.cuda.cpu.analysis.unsupported import explain, feature_of
from kernelwright_backends.host import linking
from kernelwright_backends.host.elf import read_symbols
from kernelwright_backends.host.places import Places
from kernelwright_backends.host.sources import Sources
from kernelwright_backends.interfaces.build import Symbols

_LAUNCHED_BY_THRUST = re.compile(r"6thrust13run_on_deviceIN(?:S\w?_)+(\d+)(?=[A-Z])")
_DEVICE_WIDE = re.compile(r"3cub\d+(Device[A-Z][a-z]+(?:[A-Z][a-z]+)*?)\d")


def symbols_of(data: bytes, includes: tuple[str, ...]) -> Symbols:
    """What a shared object needs, exports and replaces, and the algorithms that it is made of.

    Raises:
        ElfError: `data` is no ELF file that can be read.
    """
    elf = read_symbols(data)
    algorithms = tuple(sorted({found for name in elf.functions if (found := _device_wide(name))}))
    symbols = linking.symbols_of(elf, includes, tools.runtime_names())
    return symbols.model_copy(update={"algorithms": algorithms})


def _device_wide(mangled: str) -> str | None:
    """The device-wide algorithm of CUB or Thrust of which a function is, as its library names it."""
    if match := _DEVICE_WIDE.search(mangled):
        return f"cub::{match[1]}"
    if match := _LAUNCHED_BY_THRUST.search(mangled):
        name = mangled[match.end() : match.end() + int(match[1])]
        return "thrust::" + re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
    return None


def undefined(symbol: str, sources: Sources, places: Places) -> Finding:
    """The finding about a name that is never defined: a feature that is not executed here, or a mistake."""
    found = linking.undefined(symbol, sources, places)
    feature = feature_of(linking.plain_name(symbol))
    if feature is None:
        return found
    changes = {
        "code": "UNSUPPORTED_CUDA",
        "message": explain(feature),
        "data": {**found.data, "feature": feature},
    }
    return found.model_copy(update=changes)
