"""What a candidate may not add to a text, wherever it stands: words by which a compiler reads other files.

A model that includes a file of the user reads it in the compiler's next complaint. So what it writes may include the headers of
the language and of the device's interface, by their names in angle brackets, and nothing else.
"""

import re
from collections import Counter
from collections.abc import Iterator

from kernelwright_verifier.candidate.includes import directives

_CPP = """
algorithm any array atomic barrier bit bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes climits cmath compare
complex concepts condition_variable csetjmp csignal cstdarg cstddef cstdint cstdio cstdlib cstring ctime cwchar deque exception
format forward_list functional future initializer_list iomanip ios iosfwd iostream istream iterator latch limits list locale map
memory memory_resource mutex new numbers numeric optional ostream queue random ranges ratio scoped_allocator semaphore set
shared_mutex source_location span sstream stack stdexcept stop_token streambuf string string_view system_error thread tuple
type_traits typeindex typeinfo unordered_map unordered_set utility valarray variant vector version
""".split()
_C = "assert ctype errno fenv float inttypes limits math omp setjmp signal stdarg stdbool stddef stdint stdio stdlib string time"
_KNOWN = frozenset((*_CPP, *(f"{name}.h" for name in _C.split())))
# Of CUDA, its libraries and PyTorch; whether a kernel may use them, the hack gate says.
_DEVICE = re.compile(
    r"(?:cuda\w*|cublas\w*|curand\w*|cudnn\w*|cufft\w*|cusparse\w*|cusolver\w*|cu[A-Z]\w*|mma|nvfunctional|nvml|nvToolsExt\w*|"
    r"sm_\d\d\w*|cooperative_groups|device_\w+|driver_\w+|vector_(?:types|functions)|math_(?:constants|functions)|"
    r"library_types|builtin_types|host_(?:config|defines)|common_functions|channel_descriptor|texture_\w+|surface_\w+)(?:\.h|\.hpp)?"
    r"|(?:cooperative_groups|cub|thrust|cuda|nv|crt|torch|ATen|c10|pybind11)/[\w/]+(?:\.h|\.hpp|\.cuh|\.inl)?"
)
# Of Ascend C, which are written in quotation marks as well.
_ASCENDC = re.compile(
    r"kernel_(?:operator|tiling|basic_intf|common|cube_intf|operator_intf|tensor|tpipe|type|utils|vec_intf)(?:/\w+)?\.h"
    r"|(?:lib|adv_api|ascendc|tiling|register|platform|acl)/[\w/]+\.h|acl\.h|tikicpulib\.h"
)
_ASKING = re.compile(
    rb"\b__has_(?:include(?:_next)?|embed)\b|\.inc(?:bin|lude)\b|\bGCC\s+(?:dependency|pch_preprocess)\b"
)
_READING = (b"include", b"include_next", b"import", b"embed", b"line")
# `# 1 "file"`, and a module's import.
_OTHER = re.compile(
    rb"^[ \t]*(?:#|%:)[ \t]*\d[^\n]*|^[ \t]*(?:export[ \t]+)?import[ \t]*[<\"][^\n]*", re.MULTILINE
)
_PLAIN = re.compile(rb"^[ \t]*(?:#|%:)[ \t]*([A-Za-z_]+)[ \t]*([^\n]*)", re.MULTILINE)
_SPLICE = re.compile(rb"\\[ \t]*\r?\n")


def forbidden_addition(old: bytes, new: bytes) -> str | None:
    """The first thing that `new` has more of than `old` and that reads a file which no candidate needs; None if there is none."""
    had, has = Counter(_reads(old)), Counter(_reads(new))
    computed = {_name(rest) for word, rest in had if word == b"include" and rest[:1] not in (b'"', b"<")}
    for (word, rest), count in has.items():
        if count <= had[word, rest]:
            continue
        if word == b"include" and _is_known(rest):
            continue
        if word in (b"define", b"undef"):
            if _name(rest) in computed:
                return f"the candidate changes the macro '{_shown(rest)}', which names an include file"
            continue
        spelled = f"#{word.decode()} {_shown(rest)}" if word else _shown(rest)
        return (
            f"the candidate adds '{spelled.strip()}'; it may include only headers of the standard library and of "
            "the device"
        )
    return None


def _reads(text: bytes) -> Iterator[tuple[bytes, bytes]]:
    """(word, what stands behind it) of each directive that reads or names a file; ("", text) of what is none."""
    plain = _SPLICE.sub(b"", text).replace(b"\r", b"\n")
    # As the preprocessor reads it, and as it stands: what one view hides by a quotation mark, the other sees.
    for found in (_each_once(directives(text)), _each_once(_PLAIN.findall(plain))):
        yield from found
    for match in _ASKING.finditer(plain):
        yield b"", match[0]
    for match in _OTHER.finditer(plain):
        yield b"", match[0].strip()


def _each_once(found: Iterator[tuple[bytes, bytes]] | list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Each directive that matters once, in order."""
    kept = (
        (word, b" ".join(rest.split())) for word, rest in found if word in (*_READING, b"define", b"undef")
    )
    return list(dict.fromkeys(kept))


def _name(rest: bytes) -> bytes:
    match = re.match(rb"\w+", rest)
    return match[0] if match else b""


def _is_known(rest: bytes) -> bool:
    match = re.match(rb"<[ \t]*([^<>\"]+?)[ \t]*>|\"([^<>\"]+)\"", rest)
    # Nothing but a comment may stand behind it.
    if match is None or (
        rest[match.end() :].strip() and not rest[match.end() :].lstrip().startswith((b"//", b"/*"))
    ):
        return False
    name = (match[1] or match[2]).decode("ascii", "replace")
    if ".." in name:
        return False
    if _ASCENDC.fullmatch(name):
        return True
    return match[1] is not None and (name in _KNOWN or _DEVICE.fullmatch(name) is not None)


def _shown(text: bytes) -> str:
    return text[:80].decode("utf-8", "replace")
