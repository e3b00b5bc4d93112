"""The generated ends of a file for bisheng: what the build of an operator would generate, and the function that launches the entry.

Every argument stands on a line of its own, so that what the compiler says of line N is said of parameter N - 2.
"""

import re

from kernelwright_backends.ascendc.cpu.ascendc_cpu_entry_stub import TILING_KEY, prelude, tiling_struct
from kernelwright_backends.host.entry_stub import STUB_PATH
from kernelwright_backends.interfaces.build import ArgumentSlot, EntryCall
from kernelwright_backends.interfaces.operator_project import Project

# Reads the struct from global memory word by word with the scalar unit, as a kernel may before any pipe runs.
_TILING_MACROS = """
#ifndef GET_TILING_DATA
#define GET_TILING_DATA_WITH_STRUCT(kw_type, name, from) \\
  kw_type name; \\
  { \\
    auto kw_source = reinterpret_cast<const __gm__ uint32_t*>(from); \\
    auto kw_target = reinterpret_cast<uint32_t*>(&name); \\
    for (uint32_t kw_word = 0; kw_word < sizeof(kw_type) / sizeof(uint32_t); ++kw_word) kw_target[kw_word] = kw_source[kw_word]; \\
  }
#define GET_TILING_DATA(name, from) GET_TILING_DATA_WITH_STRUCT(kw_tiling::Data, name, from)
#endif
"""
# What the host hands over; the runner writes the same bytes (`runner.py`).
_CALL = """
struct kw_npu_argument { void* pointer; double real; int64_t whole; };
struct kw_npu_call { uint32_t blocks; uint32_t count; const kw_npu_argument* arguments; const kw_npu_argument* fields; };
"""


class NotLaunchable(ValueError):
    """This form of kernel is built by CANN's operator project and not by one call of the compiler; the message says why."""


def before(call: EntryCall | None, text: bytes, project: Project, entry: str) -> str:
    """What stands before the file: tiling structs and DTYPE_* names, padded to whole words."""
    made = prelude(call, text, project, entry)
    if not made:
        return ""
    return f"#include <cstdint>\n{re.sub(r'struct (?!alignas)(Data )', r'struct alignas(8) Data ', made)}{_TILING_MACROS}"


def entry_stub(call: EntryCall, text: bytes, project: Project) -> str:
    """C++ that launches `call.entry` on `blocks` cores of a stream, and one that fills its tiling struct.

    Raises:
        NotLaunchable: the kernel needs what only an operator project's build gives.
    """
    tiling = next((s for s in call.slots if s.kind == "tiling"), None)
    if tiling is not None and project.host is not None:
        raise NotLaunchable(
            f"{call.entry} gets its tiling from the operator's project; build and install that with msopgen and build.sh"
        )
    if re.search(rb"\bTILING_KEY_IS\s*\(", text):
        raise NotLaunchable(f"{call.entry} asks for a tiling key, which only the operator's project gives it")
    if call.form not in ("ascendc", "kernel", "launcher"):
        raise NotLaunchable(
            f"{call.entry} takes tensors of PyTorch; build its extension, or name the kernel as entry"
        )
    if any(slot.member is not None or slot.kind == "number" for slot in call.slots):
        raise NotLaunchable(
            f"{call.entry} takes lists of tensors or numbers as tensors, which only the operator's project passes"
        )
    named = {slot.name: n for n, slot in enumerate(call.slots)}
    arguments = ",\n".join(_argument(named.get(slot.same_as, n), slot) for n, slot in enumerate(call.slots))
    if call.form == "launcher":
        head = f"{call.entry}("
    else:
        head = f"{call.entry}<<<kw_given->blocks, nullptr, kw_stream>>>("
    exported = 'extern "C" __attribute__((visibility("default")))'
    return (
        f'\n#include <cstdint>\n#include <cstring>\n{_CALL}{_filler(call, text, project, exported)}#line 1 "{STUB_PATH}"\n'
        f"{exported} void kernelwright_entry(const kw_npu_call* kw_given, void* kw_stream) {{\n"
        f"  {head}\n{arguments}); (void)kw_given; (void)kw_stream;\n}}\n"
    )


def _filler(call: EntryCall, text: bytes, project: Project, exported: str) -> str:
    """`kernelwright_tiling` writes the struct of the tiling argument and returns its size; 0 where there is none."""
    slot = next((s for s in call.slots if s.kind == "tiling"), None)
    struct = tiling_struct(call, text, project)
    body = "return 0;"
    if slot is not None and struct is not None:
        sets = " ".join(
            f"kw_data.{name} = static_cast<decltype(kw_data.{name})>(kw_given->fields[{n}].{_member(kind)});"
            for n, (kind, name) in enumerate(slot.fields)
            if name != TILING_KEY
        )
        body = (
            f"{struct} kw_data{{}}; {sets} if (kw_room >= sizeof kw_data) memcpy(kw_to, &kw_data, sizeof kw_data); "
            "return sizeof kw_data;"
        )
    return (
        f"{exported} uint64_t kernelwright_tiling(const kw_npu_call* kw_given, void* kw_to, uint64_t kw_room) "
        f"{{ (void)kw_given; (void)kw_to; (void)kw_room; {body} }}\n"
    )


def _member(kind: str) -> str:
    return "real" if kind in ("float", "double", "half") else "whole"


def _argument(index: int, slot: ArgumentSlot) -> str:
    given = f"kw_given->arguments[{index}]"
    spelled = " ".join(re.sub(r"\b(const|struct|__gm__)\b|&", " ", slot.c_type).split())
    if slot.kind == "stream":
        return "    kw_stream"
    if slot.kind == "scalar":
        real = slot.element is not None and slot.element.startswith(("float", "bfloat"))
        return f"    static_cast<{spelled}>({given}.{'real' if real else 'whole'})"
    if slot.kind == "tiling" and "*" not in slot.c_type and slot.c_type != "GM_ADDR":
        return f"    *static_cast<{spelled}*>({given}.pointer)"
    if slot.c_type == "GM_ADDR":
        return f"    static_cast<uint8_t*>({given}.pointer)"
    return f"    reinterpret_cast<{spelled if '*' in spelled else 'uint8_t*'}>({given}.pointer)"
