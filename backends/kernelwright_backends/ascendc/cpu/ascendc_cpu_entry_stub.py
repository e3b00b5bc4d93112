"""The generated ends of a translation unit: the tiling struct before it, the exported function that calls the entry after it.

Every argument stands on a line of its own, so that what the compiler says of line N is said of parameter N - 2.
"""

import re
from collections.abc import Sequence

from kernelwright_backends.ascendc.cpu import prebuilt as tools
from kernelwright_backends.ascendc.operator_project.project import ELEMENTS
from kernelwright_backends.ascendc.operator_project.project import prelude as project_prelude
from kernelwright_backends.host.entry_stub import STUB_PATH
from kernelwright_backends.interfaces.build import ArgumentSlot, EntryCall
from kernelwright_backends.interfaces.operator_project import Project

_EXPORTED = 'extern "C" __attribute__((visibility("default")))'
GENERATED_STRUCT = "::kw_tiling::Data"
TILING_KEY = "TILING_KEY"
_PORTS = ("tensor", "alias", "number")
C_TYPES = {
    "float32": "float", "float16": "half", "bfloat16": "bfloat16_t", "float64": "double", "int8": "int8_t", "uint8": "uint8_t",
    "int16": "int16_t", "uint16": "uint16_t", "int32": "int32_t", "uint32": "uint32_t", "int64": "int64_t", "uint64": "uint64_t",
    "bool": "uint8_t",
}  # fmt: skip
_NAMED_STRUCT = (
    re.compile(rb"\bGET_TILING_DATA_WITH_STRUCT\s*\(\s*([\w:]+)\s*,"),
    re.compile(rb"\bREGISTER_TILING_DEFAULT\s*\(\s*([\w:]+)\s*\)"),
)
_OWN_STRUCT = re.compile(
    rb"\b(?:struct|class)\s+(?:alignas\s*\(\s*\w+\s*\)\s*|__attribute__\s*\(\([^()]*\)\)\s*)?(\w+)\s*(?:final\s*)?[:{]|"
    rb"\bBEGIN_TILING_DATA_DEF\s*\(\s*(\w+)\s*\)"
)
_REGISTERED = re.compile(rb"\bREGISTER_TILING_DATA_CLASS\s*\(\s*(\w+)\s*,\s*(?:\w+\s*::\s*)*(\w+)\s*\)")
_NO_CODE = re.compile(rb'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
# `const XTilingData* __restrict tiling`, `XTilingData& data`, `XTilingData data;`
_TILING_VARIABLE = re.compile(
    rb"\b(\w*TilingData\w*)\s*(?:[*&]\s*)?(?:const\s+)?(?:__restrict(?:__)?\s+)?(\w+)\s*(?=[,;)={])"
)
_CONSTANTS = {
    "PI": "float PI = 3.14159265358979f",
    "TWO": "int32_t TWO = 2",
    "BRCB_BROADCAST_NUMBER": "int32_t BRCB_BROADCAST_NUMBER = 8",
    "BRCB_MAX_REPEAT_SIZE": "int32_t BRCB_MAX_REPEAT_SIZE = 256",
    "ONE_BYTE_BIT_SIZE": "int32_t ONE_BYTE_BIT_SIZE = 8",
    "ONE_DATABLOCK_BYTE_SIZE": "int32_t ONE_DATABLOCK_BYTE_SIZE = 32",
    "ONE_BLK_HALF_NUM": "int32_t ONE_BLK_HALF_NUM = 16",
    "BLK_NUM_PER_REP": "int32_t BLK_NUM_PER_REP = 8",
    "NCHW_CONV_ADDR_LIST_SIZE": "int32_t NCHW_CONV_ADDR_LIST_SIZE = 16",
    "FLOAT_REPEAT_SIZE": "int32_t FLOAT_REPEAT_SIZE = 64",
    "HALF_REPEAT_SIZE": "int32_t HALF_REPEAT_SIZE = 128",
    "HALF_FACTOR": "int32_t HALF_FACTOR = 2",
    "CONCAT_LIST_LEN": "int32_t CONCAT_LIST_LEN = 4",
    "REGION_PROPOSAL_DATA_SIZE_V200": "int32_t REGION_PROPOSAL_DATA_SIZE_V200 = 8",
    "DEFAULT_C0_SIZE": "int32_t DEFAULT_C0_SIZE = 32",
    "CACHE_LINE_SIZE": "int32_t CACHE_LINE_SIZE = 64",
    "UB_BLOCK_UNIT_SIZE": "int32_t UB_BLOCK_UNIT_SIZE = 32",
}
_GENERATED = re.compile(rb"\bGET_TILING_DATA\s*\(\s*(\w+)\s*,")


def tiling_struct(call: EntryCall, text: bytes, project: Project) -> str | None:
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
    if not _GENERATED.search(text) and project.structs:
        return project.struct_of(call.entry)
    return _own_struct(text, project, call.entry) or GENERATED_STRUCT


def _own_struct(text: bytes, project: Project, entry: str) -> str | None:
    """The struct of GET_TILING_DATA where a header of the kernel defines it itself, as it is named behind that header."""
    plain = _NO_CODE.sub(b" ", text)
    wanted = entry.replace("_", "").lower()
    registered = {op.decode().lower(): name.decode() for op, name in _REGISTERED.findall(plain)}
    struct = project.struct_of(entry) or registered.get(wanted)
    if struct is None:
        return None
    name = struct.encode()
    places = [m.start() for m in _OWN_STRUCT.finditer(plain) if name in (m[1], m[2])]
    if not places:
        return None
    before = plain[: places[-1]]
    opened = before.rfind(b"namespace optiling")
    inside = opened >= 0 and before.count(b"{", opened) > before.count(b"}", opened)
    exported = re.search(rb"\busing\s+(?:namespace\s+optiling|optiling\s*::\s*" + name + rb")\s*;", plain)
    return f"optiling::{struct}" if inside and not exported else struct


def prelude(call: EntryCall | None, text: bytes, project: Project, entry: str) -> str:
    """What the build of an operator generates: its tiling structs, and the names of its element types.

    The struct of GET_TILING_DATA is the project's; without one it has the directive's fields, else those that the text uses.
    """
    own = {(a or b).decode() for a, b in _OWN_STRUCT.findall(text)}
    made = [project_prelude(project, own), _element_names(call, text, project), _words(text)]
    if _GENERATED.search(text) and b"REGISTER_TILING_DEFAULT" not in text:
        slot = next((s for s in call.slots if s.kind == "tiling"), None) if call else None
        struct = project.struct_of(entry)
        if struct is not None and struct not in own:
            made.append(
                f"namespace kw_tiling {{ using Data = ::{struct}; }}\nusing kw_tiling_struct = ::kw_tiling::Data;\n"
            )
        elif (defined := _own_struct(text, project, entry)) is not None:
            made.append(f"#define kw_tiling_struct {defined}\n")  # it comes after this
        else:
            if slot is not None and slot.fields:
                fields = [(kind, name) for kind, name in slot.fields if name != TILING_KEY]
            else:
                fields = _used_fields(text)
            unknown = _unknown_structs(text, own | set(project.structs))
            if len(unknown) == 1:  # functions take it by the name that the host would have given it
                own_fields = {name for _, name in fields}
                fields += [f for f in _fields_of(text, unknown[0]) if f[1] not in own_fields]
            made.append(f"namespace kw_tiling {{ struct Data {{{_members(fields)} }}; }}\n")
            made.append("using kw_tiling_struct = ::kw_tiling::Data;\n")
            made += [f"using {name} = ::kw_tiling::Data;\n" for name in unknown if len(unknown) == 1]
    elif not project.structs:
        for name in _unknown_structs(text, own):
            made.append(f"struct {name} {{{_members(_fields_of(text, name))} }};\n")
    return "".join(made)


def _members(fields: Sequence[tuple[str, str]]) -> str:
    return "".join(
        f" {kind[:-2]} {name}[64];" if kind.endswith("[]") else f" {kind} {name};" for kind, name in fields
    )


def _unknown_structs(text: bytes, known: set[str]) -> list[str]:
    """Structs of the host that the text names and nobody defines, since the kernel came without its host files."""
    plain = _NO_CODE.sub(b" ", text)
    named = [name for pattern in _NAMED_STRUCT for name in pattern.findall(plain)]
    named += [name for name, _ in _TILING_VARIABLE.findall(plain)]
    plain_names = dict.fromkeys(name.decode() for name in named if b"::" not in name)
    # A parameter of a template, an alias or a namespace is no struct.
    return [
        name
        for name in plain_names
        if name not in known | tools.declared_types()
        and not re.search(
            rb"(?:\b(?:typename|class|struct|using|namespace|define)|[}])\s+" + name.encode() + rb"\b", plain
        )
    ]


def _fields_of(text: bytes, struct: str) -> list[tuple[str, str]]:
    """What the text uses of variables of this type."""
    plain = _NO_CODE.sub(b" ", text)
    named = re.escape(struct.encode())
    variables = {v for name, v in _TILING_VARIABLE.findall(plain) if name == struct.encode()}
    variables |= set(re.findall(rb"\bGET_TILING_DATA_WITH_STRUCT\s*\(\s*" + named + rb"\s*,\s*(\w+)", plain))
    return _fields_used(plain, variables)


def _words(text: bytes) -> str:
    """What headers of the interface happen to hold besides their names, where the text uses it and does not say it itself."""
    made = []
    plain = _NO_CODE.sub(b" ", text)
    for name, spelled in _CONSTANTS.items():
        word = name.encode()
        if re.search(rb"(?<![\w.>:])(?:AscendC\s*::\s*)?" + word + rb"\b", plain) and not re.search(
            rb"\b" + word + rb"\s*(?:=[^=]|\{)|#\s*define\s+" + word + rb"\b", plain
        ):
            made.append(f"namespace AscendC {{ constexpr {spelled}; }}\n")
    for word in (b"block_idx", b"block_num"):  # words of the old spelling that are the text's own names
        if re.search(rb"\b(?:\w*int\w*|auto|size_t)\s*&?\s*" + word + rb"\b", plain):
            made.append(f"#undef {word.decode()}\n")
    # The build names the chip.
    if re.search(rb"\bSOC_VERSION\b", plain) and not re.search(rb"\bdefine\s+SOC_VERSION\b", plain):
        made.append('#define SOC_VERSION "Ascend910B2"\n')
    # What an assertion says is never looked up where assertions are compiled to nothing.
    if not re.search(rb"^[ \t]*using\s+namespace\s+AscendC\b", plain, re.MULTILINE):
        asserted = b" ".join(re.findall(rb"\bASSERT\s*\([^;]*", plain))
        for name in ("GetBlockNum", "GetBlockIdx"):
            if re.search(rb"(?<![\w.>:])" + name.encode() + rb"\s*\(", asserted):
                made.append(f"using AscendC::{name};\n")
    # A call `Name<float>(tensor)` without the namespace needs some template of that name before it (so C++17 reads `<`); the
    # tensor then leads to the right one.
    if not re.search(rb"^using\s+namespace\s+AscendC\b", plain, re.MULTILINE):
        called = {m.decode() for m in re.findall(rb"(?<![\w.>:])(\w+)\s*<[^;{}()]*>\s*\(", plain)}
        own = {
            m.decode() for m in re.findall(rb"\b(?:class|struct|enum|using)\s+(?:AscendC::)?(\w+)\b", plain)
        }
        for name in sorted((called & tools.function_templates()) - own):
            made.append(f"template <class kw_nobody, kw_nobody = nullptr> void {name}(kw_nobody);\n")
    return "".join(made)


def _used_fields(text: bytes) -> list[tuple[str, str]]:
    return _fields_used(text, set(_GENERATED.findall(text)))


def _fields_used(text: bytes, variables: set[bytes]) -> list[tuple[str, str]]:
    seen: dict[str, str] = {}
    for name in sorted(variables):
        used = re.findall(rb"\b" + re.escape(name) + rb"\s*(?:\.|->)\s*(\w+)\s*(\[|\()?", text)
        for member, behind in used:
            if behind != b"(":
                seen.setdefault(member.decode(), "uint32_t[]" if behind else "uint32_t")
    return [(kind, name) for name, kind in seen.items()]


def _element_names(call: EntryCall | None, text: bytes, project: Project) -> str:
    """DTYPE_X and its kin: by the tensors that are passed, else the first type of the operator's definition."""
    names: dict[str, str] = {}
    for port in project.ports:
        if port.types:
            names[port.name.upper()] = port.types[0]
    slots = call.slots if call else ()
    tensors = [s for s in slots if s.kind in _PORTS and s.element and not s.member]
    for position, slot in enumerate(tensors):
        kind = C_TYPES.get(slot.element or "", "float")
        names[slot.name.upper()] = kind
        if position < len(project.ports):
            names[project.ports[position].name.upper()] = kind
    used = {m.decode() for m in re.findall(rb"\bDTYPE_(\w+)", text)}
    for name in used - set(names):
        names[name] = "float"
    # Where the text declares the name itself, a template's parameter or an alias, the macro would hide it.
    for own in re.findall(rb"\b(?:typename|class|using|struct)\s+DTYPE_(\w+)", text):
        names.pop(own.decode(), None)
    ge = {c: element for element, c in ELEMENTS.items()}
    lines = [f"#define DTYPE_{name} {kind}\n" for name, kind in sorted(names.items())]
    lines += [
        f"#define ORIG_DTYPE_{name} {ge.get(kind, 'DT_FLOAT')}\n" for name, kind in sorted(names.items())
    ]
    lines += [f"#define FORMAT_{name} FORMAT_ND\n" for name in sorted(names)]
    # Beside the host's own enumerations of these names nobody asks the preprocessor for them.
    if re.search(
        rb"\bnamespace\s+ge\b|[/<\"](?:tiling_api|op_def_registry|tilingdata_base|op_impl_registry)\.h", text
    ) is None and any(word in text for word in (b"ORIG_DTYPE_", b"DT_FLOAT", b"FORMAT_")):
        lines += [f"#define {element} {number}\n" for number, element in enumerate(ELEMENTS)]
        lines.append("#define FORMAT_ND 2\n")
    return "".join(lines)


def entry_stub(call: EntryCall, kind: str, text: bytes, project: Project) -> str:
    """C++ that calls `call.entry` with the values of a `kw_asc_call`; a kernel is launched on its cores."""
    host = uses_host(call, project)
    included = "#include <kernelwright/ascendc/host_abi.h>\n" if host else ""
    workspace = next((i for i, s in enumerate(call.slots) if s.kind == "workspace"), None) if host else None
    arguments = ",\n".join(
        "    (uint8_t*)kw_room" if index == workspace else _argument(index, slot, call)
        for index, slot in enumerate(call.slots)
        if not slot.member
    )
    filled = _host_answer(call, project) if uses_host(call, project) else _filled_struct(call, text, project)
    if call.form in ("ascendc", "kernel"):
        name = call.entry.replace('"', "'")
        head = f'{filled}::kw::launch(kw_given->blocks, "{name}", "{kind}", {{nullptr, 0}}, [=]() {{ {call.entry}('
        tail = "); });"
    else:
        head, tail = f"{filled}kw_asc_host_begins(); {call.entry}(", ");"
    rooms, freed = _rooms(call)
    head, tail = rooms + head, tail + freed
    if workspace is not None:
        given = f"kw_given->arguments[{workspace}].pointer"
        tail += f" if (kw_room != {given}) kw_acl_free(kw_room, {{nullptr, 0}});"
    return (
        f'\n#include <new>\n#include <stdexcept>\n{included}#line 1 "{STUB_PATH}"\n'
        f"{_EXPORTED} void kernelwright_entry(const kw_asc_call* kw_given) {{\n"
        f"  {head}\n{arguments}{tail}\n  (void)kw_given;\n}}\n"
    )


def uses_host(call: EntryCall | None, project: Project) -> bool:
    """Does the project's own tiling function say what the kernel is given?"""
    return call is not None and project.host is not None and any(s.kind == "tiling" for s in call.slots)


def _filled_struct(call: EntryCall, text: bytes, project: Project) -> str:
    struct = tiling_struct(call, text, project)
    position = next((i for i, s in enumerate(call.slots) if s.kind == "tiling"), None)
    if struct is None or position is None:
        return ""
    number = f"::kw::Value{{kw_given->arguments[{position}].numbers[%d]}}"
    sets = " ".join(
        f"::kw_tiling::key = uint64_t({number % n});"
        if name == TILING_KEY
        else f"kw_data->{name} = {number % n};"
        for n, (_, name) in enumerate(call.slots[position].fields)
    )
    return f"auto* kw_data = new (kw_given->arguments[{position}].pointer) {struct}(); {sets} (void)kw_data; "


def _host_answer(call: EntryCall, project: Project) -> str:
    """Asks the tiling function with the tensors' shapes and types; `tiling=` of the directive gives attributes their values."""
    position = next(i for i, s in enumerate(call.slots) if s.kind == "tiling")
    workspace = next((i for i, s in enumerate(call.slots) if s.kind == "workspace"), None)
    ports = list(dict.fromkeys(slot.name for slot in call.slots if slot.kind in _PORTS))
    named = {slot.name: i for i, slot in enumerate(call.slots)}
    tensors = "".join(
        f' {{::kw::one_element, 1, "{slot.element}", kw_number_{i}, {ports.index(slot.name)}}},'
        if slot.kind == "number"
        else f' {{kw_given->arguments[{i}].shape, kw_given->arguments[{i}].dimensions, "{slot.element}", '
        f"kw_given->arguments[{i}].pointer, {ports.index(slot.name)}}},"
        for slot, i in ((s, named[s.same_as] if s.kind == "alias" else i) for i, s in enumerate(call.slots))
        if slot.kind in _PORTS
    )
    attributes = "".join(
        f' {{"{name}", kw_given->arguments[{position}].numbers[{n}].real, {str(kind.endswith("[]")).lower()}, nullptr}},'
        for n, (kind, name) in enumerate(call.slots[position].fields)
    ) + "".join(f' {{"{name}", 0, false, {_quoted(text)}}},' for name, text in call.slots[position].words)
    room = (
        f"void* kw_room = kw_given->arguments[{workspace}].pointer; "
        "if (kw_answer.workspace_bytes > (16u << 20)) kw_acl_malloc(&kw_room, kw_answer.workspace_bytes, {nullptr, 0}); "
        if workspace is not None
        else ""
    )
    return (
        f"kw_host_tensor kw_tensors[] = {{{tensors} {{}}}}; kw_host_attribute kw_attributes[] = {{{attributes} {{}}}}; "
        "kw_host_request kw_request{kw_tensors, int(sizeof kw_tensors / sizeof *kw_tensors) - 1, kw_attributes, "
        f'int(sizeof kw_attributes / sizeof *kw_attributes) - 1, "{project.operator}"}}; kw_host_answer kw_answer{{}}; '
        "kw_host_tiling(&kw_request, &kw_answer); if (kw_answer.problem) throw std::runtime_error(kw_answer.problem); "
        f"memcpy(kw_given->arguments[{position}].pointer, kw_answer.tiling, kw_answer.tiling_bytes); {room}"
        "::kw_tiling::key = kw_answer.key; const_cast<kw_asc_call*>(kw_given)->blocks = kw_answer.blocks; "
    )


def _rooms(call: EntryCall) -> tuple[str, str]:
    """C++ that makes what else is passed in memory, tables of tensors and single numbers, and that gives it back."""
    made: dict[str, str] = {}
    for index, slot in enumerate(call.slots):
        given = f"kw_given->arguments[{index}]"
        if slot.member == 0:
            count = sum(other.name == slot.name for other in call.slots)
            made[f"kw_list_{index}"] = f"::kw::tensor_list(&{given}, {count})"
        elif slot.kind == "number":
            made[f"kw_number_{index}"] = (
                f"::kw::number_room<{C_TYPES.get(slot.element or '', 'float')}>({given})"
            )
    return (
        "".join(f"void* {name} = {value}; " for name, value in made.items()),
        "".join(f" kw_acl_free({name}, {{nullptr, 0}});" for name in made),
    )


def _quoted(text: str) -> str:
    """A C string of the text's bytes."""
    return '"' + "".join(f"\\{byte:03o}" for byte in text.encode()) + '"'


def _argument(index: int, slot: ArgumentSlot, call: EntryCall) -> str:
    given = f"kw_given->arguments[{index}]"
    if slot.kind == "number":
        return f"    ::kw::Pointer{{kw_number_{index}}}"
    if slot.kind == "alias":
        shared = next(i for i, other in enumerate(call.slots) if other.name == slot.same_as)
        return f"    ::kw::Pointer{{kw_given->arguments[{shared}].pointer}}"
    if slot.member is not None:
        return f"    ::kw::Pointer{{kw_list_{index}}}"
    if slot.kind == "stream":
        return "    nullptr"
    if slot.kind == "scalar":
        return f"    ::kw::Value{{{given}}}"
    if slot.kind == "tiling" and "*" not in slot.c_type and slot.c_type != "GM_ADDR":
        spelled = " ".join(re.sub(r"\b(const|struct)\b|&", " ", slot.c_type).split())
        return f"    *({spelled}*){given}.pointer"
    return f"    ::kw::Pointer{{{given}.pointer}}"


def program_stub() -> str:
    """C++ that runs the file's own `main`, renamed, as if started without arguments."""
    return (
        f'\n#line 1 "{STUB_PATH}"\n'
        "static int kw_start(int (*main)(), char**) { return main(); }\n"
        "static int kw_start(int (*main)(int), char**) { return main(1); }\n"
        "static int kw_start(int (*main)(int, char**), char** given) { return main(1, given); }\n"
        "static int kw_start(int (*main)(int, const char**), char** given) { return main(1, (const char**)given); }\n"
        f"{_EXPORTED} int kernelwright_main() {{\n"
        '  static char kw_name[] = "program"; static char* kw_given[] = {kw_name, nullptr};\n'
        "  return kw_start(kernelwright_user_main, kw_given);\n}\n"
    )
