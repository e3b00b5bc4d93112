"""What every build of a PyTorch extension defines: nvcc is told so by torch.utils.cpp_extension and by PyTorch's CMake files."""

import re

from kernelwright_backends.cuda.cpu import prebuilt as tools
from kernelwright_backends.cuda.cpu.frontend.sources import CudaSources
from kernelwright_backends.interfaces.build import CompileOptions

# They take away operators and conversions of CUDA's types of 16 bits, which PyTorch's own would be ambiguous with.
MACROS = (
    "__CUDA_NO_HALF_OPERATORS__",
    "__CUDA_NO_HALF_CONVERSIONS__",
    "__CUDA_NO_HALF2_OPERATORS__",
    "__CUDA_NO_BFLOAT16_CONVERSIONS__",
)
_UNDEFINED = re.compile(rb"^[ \t]*#[ \t]*undef[ \t]+(__CUDA_NO_\w+)", re.MULTILINE)
_MISSED = re.compile(
    r"no match for 'operator|no match for ternary|cannot convert|conversion from .* to non-scalar|no known conversion|invalid operands|"
    r"invalid (?:static_cast|cast|conversion)|could not convert|ambiguous"
)
_TYPES = re.compile(r"'[^']*\b(?:__half2?|half2?|__nv_bfloat162?)\b[^']*'")


def as_extension(options: CompileOptions, sources: CudaSources) -> CompileOptions:
    """The options with what a build of PyTorch's adds, where the text is of one; what the user or the text takes away is not added."""
    if tools.prelude_of(sources.all_text) != "torch":
        return options
    taken_away = {*options.undefine, *(name.decode() for name in _UNDEFINED.findall(sources.all_text))}
    taken_away.update(flag[2:] for flag in options.flags if flag.startswith("-U"))
    said = {define.split("=", 1)[0] for define in options.define}
    added = tuple(f"{name}=1" for name in MACROS if name not in taken_away | said)
    return options.model_copy(update={"define": (*added, *options.define)})


def missed_by_macros(message: str, defined: tuple[str, ...]) -> str | None:
    """What to add to a message of the compiler on CUDA's types of 16 bits, where a build of PyTorch's takes away what it misses."""
    macros = [name for name in MACROS if f"{name}=1" in defined]
    if not macros or _MISSED.search(message) is None or _TYPES.search(message) is None:
        return None
    about = (
        "CONVERSIONS" if "convert" in message or "conversion" in message or "cast" in message else "OPERATORS"
    )
    brain = "bfloat16" in message
    named = next((m for m in macros if about in m and ("BFLOAT16" in m) == brain), None)
    if named is None:
        return None
    instead = "__hadd, __hmul or __hfma" if about == "OPERATORS" else "__half2float or __float2half"
    return f"PyTorch's builds define {named}: use {instead.replace('half', 'bfloat16') if brain else instead}, or build with -U{named}"
