"""The parts of an operator project around a kernel: tiling structs and the operator's definition in `op_host/`.

MyOp/op_kernel/my_op.cpp      the kernel
MyOp/op_host/my_op_tiling.h   BEGIN_TILING_DATA_DEF(MyOpTilingData) ... END_TILING_DATA_DEF
MyOp/op_host/my_op.cpp        the tiling function; class MyOp : public OpDef
"""

import ast
import re
from collections.abc import Collection
from contextlib import suppress
from itertools import islice
from pathlib import Path

from kernelwright_backends.ascendc.operator_project.surroundings import prototype_files, prototypes
from kernelwright_backends.interfaces.operator_project import OperatorAttribute, Port, Project, TilingField
from kernelwright_backends.untrusted.reach import Reach
from kernelwright_backends.untrusted.reading import read_text_bounded

_CONSTANT = re.compile(
    r"\b(?:const(?:expr)?|static)\s+(?:(?:static|const|constexpr|inline|unsigned|signed)\s+)*(?:u?int(?:\d+_t)?|size_t|long|auto)\s+(\w+)\s*=\s*([^;,]+);"
)
_DEFINED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(\(?[\w \t+*/()-]+)$", re.MULTILINE)
_SUFFIX = re.compile(r"\b(\d+)[uUlL]+\b")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_STRUCT = re.compile(r"\bBEGIN_TILING_DATA_DEF\s*\(\s*(\w+)\s*\)(.*?)\bEND_TILING_DATA_DEF\b", re.DOTALL)
_FIELD = re.compile(
    r"\bTILING_DATA_FIELD_DEF(?P<kind>_ARR|_STRUCT)?\s*\(\s*(?P<a>[\w:]+)\s*,\s*(?P<b>[\w:]+|[\w\s+*/()-]+?)\s*(?:,\s*(?P<c>\w+)\s*)?\)"
)
_CLASS = re.compile(r"\bREGISTER_TILING_DATA_CLASS\s*\(\s*(\w+)\s*,\s*([\w:]+)\s*\)")
_PORT = re.compile(
    r"\b(Input|Output)\s*\(\s*\"(\w+)\"\s*\)(.*?)(?=\bInput\s*\(|\bOutput\s*\(|\bAttr\s*\(|\bAICore\s*\(|\Z)",
    re.DOTALL,
)
_TYPES = re.compile(r"\bDataType(?:List)?\s*\(\s*\{([^}]*)\}")
_ZERO = re.compile(r"\.\s*InitValue\s*\(\s*[+-]?0+(?:\.0*)?[fFuUlL]*\s*\)")
_DYNAMIC = re.compile(r"\.\s*ParamType\s*\(\s*(?:\w+\s*::\s*)*DYNAMIC\s*\)")
_ATTRIBUTE = re.compile(
    r"\bAttr\s*\(\s*\"(\w+)\"\s*\)(?:\s*\.\s*AttrType\s*\(\s*(?:\w+\s*::\s*)*(\w+)\s*\))?"
    r"\s*\.\s*(Int|Float|Bool|String|ListInt|ListFloat|ListBool)\s*\(([^()]*)\)"
)
_OPERATOR = re.compile(r"\bclass\s+(\w+)\s*:\s*public\s+(?:ops::)?OpDef\b")
# The tiling function, registered apart from the definition.
_TILING_OF = re.compile(
    r"\bIMPL_OP(?:_OPTILING)?\s*\(\s*(\w+)\s*\)\s*(?:\.\s*\w+(?:<[^;]*?>)?\s*\([^;]*?\)\s*)*?\.\s*Tiling\s*\("
)
_UNITS = (".cpp", ".cc")
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"(\.\./[^"\n]+\.h(?:pp)?)"', re.MULTILINE)
_ARCHITECTURE = re.compile(r"arch\d+")
_MOST_FILES = 60
_LARGEST_BYTES = 1 << 20
_MOST_ENTRIES = 5000
_MOST_NEIGHBOURS = 1000

# ge's names of element types, as C++ types of a kernel.
ELEMENTS = {
    "DT_FLOAT": "float", "DT_FLOAT16": "half", "DT_BF16": "bfloat16_t", "DT_INT8": "int8_t", "DT_UINT8": "uint8_t",
    "DT_INT16": "int16_t", "DT_UINT16": "uint16_t", "DT_INT32": "int32_t", "DT_UINT32": "uint32_t", "DT_INT64": "int64_t",
    "DT_UINT64": "uint64_t", "DT_BOOL": "bool", "DT_DOUBLE": "double",
}  # fmt: skip


_WRITTEN_OUT = (
    (re.compile(r"\bBEGIN_TILING_DATA_DEF\s*\(\s*(\w+)\s*\)"), r"struct \1 {"),
    (re.compile(r"\bTILING_DATA_FIELD_DEF_ARR\s*\(([^,()]+),([^,()]+),([^,()]+)\)\s*;?"), r"\1 \3[\2];"),
    (re.compile(r"\bTILING_DATA_FIELD_DEF(?:_STRUCT)?\s*\(([^,()]+),([^,()]+)\)\s*;?"), r"\1 \2;"),
    (re.compile(r"\bEND_TILING_DATA_DEF\b\s*;?"), "};"),
    (re.compile(r"\bREGISTER_TILING_DATA_CLASS\s*\(\s*\w+\s*,\s*[\w:]+\s*\)\s*;?"), ""),
    (re.compile(r"\bOP_ADD\s*\(\s*\w+\s*\)\s*;?"), ""),  # the definition is made when it is asked for
)


def written_out(text: str) -> str:
    """The text with its tiling structs as C++ has them and without registrations, for who reads its syntax."""
    for macro, meaning in _WRITTEN_OUT:
        text = macro.sub(meaning, text)
    return text


def read_project(path: Path, text: str) -> Project:
    """The project around the kernel file `path`, whose text is `text`."""
    made = Project()
    stem = path.stem.replace("_", "").lower()
    defining: dict[
        str, tuple[Path, bool]
    ] = {}  # operator -> its file, and does it set the tiling function there
    tiling: dict[str, list[Path]] = {}
    for file in _host_files(path):
        try:
            content = read_text_bounded(file, limit_bytes=_LARGEST_BYTES, errors="replace")
        except OSError:
            continue
        plain = _COMMENT.sub(" ", content)
        _read(made, plain, stem)
        for operator in _OPERATOR.findall(plain):
            defining.setdefault(operator, (file, "SetTiling" in plain))
        for operator in _TILING_OF.findall(plain):
            if file.suffix in _UNITS:
                tiling.setdefault(operator, []).append(file)
    if made.operator in defining:
        file, alone = defining[made.operator]
        elsewhere = tiling.get(made.operator, [])[:1]
        if alone or elsewhere:
            made.hosts = (file, *(other for other in elsewhere if not alone and other != file))
    _read(made, _COMMENT.sub(" ", text), stem)
    if not made.ports:
        for operator, ports in prototypes(path):
            if operator.replace("_", "").lower() == stem:
                made.ports = tuple(Port(*port) for port in ports)
                break
    if not made.classes and "GET_TILING_DATA" in text:
        _read_neighbours(made, path, stem)
    return made


def _read_neighbours(made: Project, path: Path, stem: str) -> None:
    """The struct that the host files of the project's other operators register for this one."""
    folder = next((f.parent for f in path.parents if f.name == "op_kernel"), None)
    reach = Reach(path)
    if folder is None or not folder.parent.is_dir() or not reach.holds(folder.parent):
        return
    files = [
        file
        for pattern in ("*/op_host/*.h", "*/op_host/*.cpp")
        for file in sorted(islice(folder.parent.glob(pattern), _MOST_NEIGHBOURS))
    ]
    for file in filter(reach.holds, files[:_MOST_NEIGHBOURS]):
        try:
            content = read_text_bounded(file, limit_bytes=_LARGEST_BYTES, errors="replace")
        except OSError:
            continue
        if any(name.replace("_", "").lower() == stem for name, _ in _CLASS.findall(content)):
            _read(made, _COMMENT.sub(" ", content), stem)


def surrounding_files(path: Path) -> list[Path]:
    """What a verdict on the kernel file `path` depends on besides what it includes: the operator's host files, and the other
    sections where it is one of an imported bundle."""
    from kernelwright_backends.ascendc.operator_bundle.folder import folder_of, read_folder
    from kernelwright_backends.interfaces.operator_bundle import BundleError

    found = [*_host_files(path), *prototype_files(path)]
    folder = folder_of(path)
    if folder is not None:
        # What cannot be read, the hack gate tells.
        with suppress(BundleError):
            found += [file for file in read_folder(folder).files.values() if file not in (*found, path)]
    return found


def _host_files(path: Path) -> list[Path]:
    reach = Reach(path)
    for folder in (path.parent, path.parent.parent, path.parent.parent.parent):
        host = folder / "op_host"
        if host.is_dir() and reach.holds(host):
            files = [
                f
                for f in sorted(islice(host.rglob("*"), _MOST_ENTRIES))
                if reach.holds(f)
                and f.suffix in (".h", ".hpp", ".cpp", ".cc")
                and _chips(f.relative_to(host)) in (set(), _chips(path.relative_to(folder)))
            ]
            # Headers define the structs that the others register.
            files.sort(key=lambda f: f.suffix not in (".h", ".hpp"))
            return [*_included(files[:_MOST_FILES], reach), *files[:_MOST_FILES]]
    return []


def _included(files: list[Path], reach: Reach) -> list[Path]:
    """Headers that host files take from elsewhere in the project: tiling structs may stand beside the kernel."""
    found: list[Path] = []
    for file in files:
        try:
            text = read_text_bounded(file, limit_bytes=_LARGEST_BYTES, errors="replace")
        except OSError:
            continue
        for name in _INCLUDE.findall(text):
            header = (file.parent / name).resolve()
            if header not in found and header not in files and header.is_file() and reach.holds(header):
                found.append(header)
    return found[:_MOST_FILES]


def _chips(path: Path) -> set[str]:
    """Folders that hold what is meant for one generation of chips: `arch35`."""
    return {part for part in path.parts if _ARCHITECTURE.fullmatch(part)}


def _number(text: str, constants: dict[str, str], depth: int = 8) -> int | None:
    """The value of an integer expression of literals, constants of these files, + - * / and parentheses."""
    spelled = re.sub(r"\b(?:static_cast\s*<[^<>]*>|u?int\d+_t|size_t)\b", "", text)
    for _ in range(depth):
        names = set(re.findall(r"[A-Za-z_]\w*", spelled))
        if not names:
            break
        if not names <= set(constants):
            return None
        spelled = re.sub(r"[A-Za-z_]\w*", lambda m: f"({constants[m[0]]})", spelled)
        if len(spelled) > 4000:
            return None
        spelled = _SUFFIX.sub(r"\1", spelled)
    spelled = _SUFFIX.sub(r"\1", spelled)
    if not re.fullmatch(r"[\d\s+\-*/()]+", spelled) or len(spelled) > 200:
        return None
    try:
        value = literal_number(ast.parse(spelled.strip(), mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError, MemoryError):
        return None
    return value


def literal_number(node: ast.expr) -> int:
    """Of a tree of integers and + - * /.

    Raises:
        ValueError: anything else stands in it.
        ZeroDivisionError: it divides by zero.
    """
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.BinOp):
        left, right = literal_number(node.left), literal_number(node.right)
        match node.op:
            case ast.Add():
                return left + right
            case ast.Sub():
                return left - right
            case ast.Mult():
                return left * right
            case ast.Div():
                return left // right
    raise ValueError("no integer expression")


def _read(made: Project, text: str, stem: str) -> None:
    made.constants.update(_CONSTANT.findall(text))
    made.constants.update(_DEFINED.findall(text))
    for name, body in _STRUCT.findall(text):
        fields = []
        for match in _FIELD.finditer(body):
            if match["kind"] == "_ARR":
                length = _number(match["b"], made.constants)
                fields.append(
                    TilingField(match["a"], match["c"] or "", match["b"] if length is None else str(length))
                )
            else:
                fields.append(
                    TilingField(match["a"].split("::")[-1] if match["kind"] else match["a"], match["b"])
                )
        made.structs[name] = tuple(fields)
    for operator, struct in _CLASS.findall(text):
        made.classes[operator] = struct.split("::")[-1]
    for operator in _OPERATOR.finditer(text):
        if made.operator is not None and operator[1].replace("_", "").lower() != stem:
            continue
        end = text.find("OP_ADD", operator.end())
        ports = []
        for kind, name, rest in _PORT.findall(text[operator.end() : end if end > 0 else len(text)]):
            types = _TYPES.search(rest)
            spelled = re.findall(r"DT_\w+", types[1]) if types else []
            known = tuple(ELEMENTS[t] for t in spelled if t in ELEMENTS)
            zeroed = kind == "Output" and bool(_ZERO.search(rest))
            ports.append(Port(name, kind == "Input", known, zeroed, bool(_DYNAMIC.search(rest))))
        made.operator, made.ports = operator[1], tuple(ports)
        made.attributes = tuple(
            OperatorAttribute(name, kind, needed == "OPTIONAL" or bool(default.strip()))
            for name, needed, kind, default in _ATTRIBUTE.findall(
                text[operator.end() : end if end > 0 else len(text)]
            )
        )


def prelude(project: Project, own: Collection[str] = ()) -> str:
    """C++ of the structs, members in order and padded to 8 bytes as the host lays them out; not of those the kernel defines."""
    done: dict[str, str] = {}

    def define(name: str, above: frozenset[str]) -> None:
        if name in own or name in done or name in above:
            return
        for inner in project.structs[name]:  # a struct may stand in a file that is read later
            if inner.type in project.structs:
                define(inner.type, above | {name})
        members = "".join(
            f" {f.type} {f.name}{f'[{f.length}]' if f.length else ''}{{}};" for f in project.structs[name]
        )
        done[name] = f"struct alignas(8) {name} {{{members} }};\n"

    for name in project.structs:
        define(name, frozenset())
    return "".join(done.values())
