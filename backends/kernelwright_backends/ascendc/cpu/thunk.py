"""The generated ends of a translation unit: the tiling struct before it, the exported function that calls the entry behind it.

Every argument stands on a line of its own, so that what the compiler says of line N is said of parameter N - 2.
"""

import re

from kernelwright_backends.cuda.cpu.thunk import THUNK_PATH
from kernelwright_backends.toolchain import ArgumentSlot, EntryCall

_EXPORTED = 'extern "C" __attribute__((visibility("default")))'
GENERATED_STRUCT = "::kw_tiling::Data"
TILING_KEY = "TILING_KEY"
_NAMED_STRUCT = (
    re.compile(rb"\bGET_TILING_DATA_WITH_STRUCT\s*\(\s*([\w:]+)\s*,"),
    re.compile(rb"\bREGISTER_TILING_DEFAULT\s*\(\s*([\w:]+)\s*\)"),
)
_GENERATED = re.compile(rb"\bGET_TILING_DATA\s*\(\s*(\w+)\s*,")


def tiling_struct(call: EntryCall, text: bytes) -> str | None:
    """The struct that the entry's tiling argument is read as; None without one."""
    slot = next((s for s in call.slots if s.kind == "tiling"), None)
    if slot is None:
        return None
    spelled = re.sub(r"\b(const|struct|__gm__)\b|[&*]", " ", slot.c_type).strip()
    if spelled not in ("void", "uint8_t", "GM_ADDR"):
        return " ".join(spelled.split())
    for pattern in _NAMED_STRUCT:
        found = pattern.search(text)
        if found:
            return found[1].decode()
    return GENERATED_STRUCT


def tiling_prelude(call: EntryCall | None, text: bytes) -> str:
    """The struct that GET_TILING_DATA reads, from the directive's fields; without them from how the text uses it."""
    generated = _GENERATED.search(text)
    if generated is None:
        return ""
    fields: list[tuple[str, str]] = []
    slot = next((s for s in call.slots if s.kind == "tiling"), None) if call else None
    if slot is not None and slot.fields:
        fields = [(kind, name) for kind, name in slot.fields if name != TILING_KEY]
    else:
        seen: dict[str, str] = {}
        for name in _GENERATED.findall(text):
            for member, index in re.findall(rb"\b" + re.escape(name) + rb"\s*\.\s*(\w+)\s*(\[)?", text):
                seen.setdefault(member.decode(), "uint32_t" if not index else "uint32_t[]")
        fields = [(kind, name) for name, kind in seen.items()]
    members = "".join(
        f" {kind[:-2]} {name}[64];" if kind.endswith("[]") else f" {kind} {name};" for kind, name in fields
    )
    return f"namespace kw_tiling {{ struct Data {{{members} }}; }}\n"


def entry_thunk(call: EntryCall, kind: str, text: bytes) -> str:
    """C++ that calls `call.entry` with the values of a `kw_asc_call`; a kernel is launched on its cores."""
    arguments = ",\n".join(_argument(index, slot) for index, slot in enumerate(call.slots))
    struct = tiling_struct(call, text)
    filled = ""
    position = next((i for i, s in enumerate(call.slots) if s.kind == "tiling"), None)
    if struct is not None and position is not None:
        names = [name for _, name in call.slots[position].fields]
        # A class of BEGIN_TILING_DATA_DEF is filled by its setters, a plain struct by its members.
        sets = " ".join(
            f"::kw_tiling::key = uint64_t(::kw::Value{{kw_given->arguments[{position}].numbers[{n}]}});"
            if name == TILING_KEY
            else f"kw_data->{name} = ::kw::Value{{kw_given->arguments[{position}].numbers[{n}]}};"
            for n, name in enumerate(names)
        )
        filled = f"auto* kw_data = new (kw_given->arguments[{position}].pointer) {struct}(); {sets} (void)kw_data; "
    if call.form in ("ascendc", "kernel"):
        name = call.entry.replace('"', "'")
        head = (
            f'{filled}::kw::launch(kw_given->blocks, "{name}", "{kind}", {{nullptr, 0}}, [=]() {{ {call.entry}('
        )
        tail = "); });"
    else:
        head, tail = f"{filled}{call.entry}(", ");"
    return (
        f'\n#include <new>\n#line 1 "{THUNK_PATH}"\n'
        f"{_EXPORTED} void kernelwright_entry(const kw_asc_call* kw_given) {{\n"
        f"  {head}\n{arguments}{tail}\n  (void)kw_given;\n}}\n"
    )


def _argument(index: int, slot: ArgumentSlot) -> str:
    given = f"kw_given->arguments[{index}]"
    if slot.kind == "stream":
        return "    nullptr"
    if slot.kind == "scalar":
        return f"    ::kw::Value{{{given}}}"
    if slot.kind == "tiling" and "*" not in slot.c_type and slot.c_type != "GM_ADDR":
        spelled = " ".join(re.sub(r"\b(const|struct)\b|&", " ", slot.c_type).split())
        return f"    *({spelled}*){given}.pointer"
    return f"    ::kw::Pointer{{{given}.pointer}}"
