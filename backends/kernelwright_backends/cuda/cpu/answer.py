"""The driver's answer in the words of the house: facts by instruction become findings at the user's lines."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tree_sitter import Node

from kernelwright_backends.cuda.cpu.declarations import is_device_function
from kernelwright_backends.cuda.cpu.diagnostics import Places
from kernelwright_backends.cuda.cpu.rewriting.edits import Rewritten
from kernelwright_backends.cuda.cpu.text import walk
from kernelwright_backends.cuda.cpu.uninitialised import bare_aggregates, bare_locals, reads_before_stores
from kernelwright_backends.cuda.cpu.unsupported import explain
from kernelwright_backends.finding import Finding, Range, Related, Severity, finding
from kernelwright_backends.toolchain import Writer

_CODES = {
    "out_of_bounds": "MEM_OUT_OF_BOUNDS",
    "misaligned": "MEM_MISALIGNED",
    "use_after_free": "MEM_USE_AFTER_FREE",
    "invalid_free": "MEM_INVALID_FREE",
    "host_pointer": "MEM_HOST_POINTER",
    "device_pointer": "MEM_DEVICE_POINTER",
    "read_only": "MEM_READ_ONLY",
    "stack_overflow": "MEM_STACK_OVERFLOW",
    "uninitialised_read": "INIT_UNINITIALISED_READ",
    "race_shared": "RACE_SHARED",
    "race_global": "RACE_GLOBAL",
    "race_stream": "RACE_STREAM",
    "order": "RACE_ORDER",
    "pending_copy": "SYNC_ASYNC_COPY",
    "divergent_barrier": "SYNC_DIVERGENT_BARRIER",
    "missed_barrier": "SYNC_DIVERGENT_BARRIER",
    "exited_lanes": "SYNC_INVALID_MASK",
    "deadlock": "SYNC_DEADLOCK",
    "invalid_mask": "SYNC_INVALID_MASK",
    "inactive_lane": "SYNC_INACTIVE_LANE",
    "configuration": "LAUNCH_CONFIGURATION",
    "unchecked": "LAUNCH_UNCHECKED",
    "trap": "LAUNCH_TRAP",
    "time": "LAUNCH_TIME",
    "crash": "LAUNCH_CRASH",
    "out_of_memory": "LAUNCH_MEMORY",
    "leak": "LEAK_DEVICE",
    "sampled": "LAUNCH_SAMPLED",
    "waits_for_host": "UNSUPPORTED_CUDA",
}
_WAITS_FOR_HOST = "a kernel that waits for what the host does after its launch"
_STATEMENT = frozenset(
    (
        "expression_statement",
        "declaration",
        "return_statement",
        "if_statement",
        "for_statement",
        "while_statement",
    )
)


def findings_of(records: Sequence[Mapping[str, Any]], places: Places) -> list[Finding]:
    """One finding for each place: what the compiler made several instructions of is one expression to its writer."""
    merged: dict[tuple[object, ...], Finding] = {}
    for record in records:
        if record["kind"] == "misaligned" and not _needs_alignment(record, places):
            continue
        if record["kind"] == "unchecked" and not _is_discarded(record, places):
            continue
        made = _finding(record, places)
        key: tuple[object, ...] = (made.code, made.path, made.line, made.column)
        if made.code.startswith("RACE_") and made.related:
            # Both orders of two accesses are one race; it is told at the later line, before which a barrier is missing.
            other = made.related[-1]
            key = (made.code, frozenset(((made.path, made.line), (other.path, other.line))))
        earlier = merged.get(key)
        if earlier is None:
            merged[key] = made
            continue
        count = earlier.data.get("count", 1) + made.data.get("count", 1)
        graver = made if _GRAVITY[made.severity] < _GRAVITY[earlier.severity] else earlier
        merged[key] = graver.model_copy(update={"data": {**graver.data, "count": count}})
    found = list(merged.values())
    return [f for f in found if not _follows(f, found)]


def _follows(made: Finding, found: Sequence[Finding]) -> bool:
    """Is this the consequence of another defect that is told?"""
    place = (made.path, made.line)
    if made.code == "INIT_UNINITIALISED_READ":
        # What is read before another thread wrote it, for want of a barrier, is the race itself.
        raced = {
            at
            for f in found
            if f.code in ("RACE_SHARED", "RACE_GLOBAL") and f.severity is Severity.ERROR
            for at in ((f.path, f.line), *((r.path, r.line) for r in f.related))
        }
        if place in raced and "thread" in made.data:
            return True
        # The host misses what a kernel could not write because of an error.
        return "thread" not in made.data and any(
            f.severity is Severity.ERROR and f.code != "INIT_UNINITIALISED_READ" for f in found
        )
    if made.code == "RACE_SHARED":  # between who asked for a copy and who does not wait for it
        return any(f.code == "SYNC_ASYNC_COPY" and (f.path, f.line) == place for f in found)
    if made.code == "RACE_GLOBAL":  # an index that left its row or its array meets what others own
        return any(f.code == "MEM_OUT_OF_BOUNDS" and (f.path, f.line) == place for f in found)
    if made.code == "MEM_HOST_POINTER":  # what lies behind the variable that was left
        return any(
            f.code == "MEM_OUT_OF_BOUNDS" and (f.path, f.line, f.column) == (*place, made.column)
            for f in found
        )
    return False


def unwritten_locals(places: Places) -> list[Finding]:
    """Local variables of device functions whose first use reads them, whatever the data."""
    found = []
    for rewritten in places.files.values():
        for node in walk(rewritten.tree.root_node):
            body = node.child_by_field_name("body") if node.type == "function_definition" else None
            if body is None or not is_device_function(node) or _may_be_left_out(node):
                continue
            for use, name in reads_before_stores(body):
                declared = rewritten.lines.range(name.start_byte, name.end_byte)
                related = Related(message="declared here without a value", path=str(rewritten.path),
                                  line=declared.line, column=declared.column)  # fmt: skip
                spelled = (name.text or b"").decode("utf-8", "replace")
                text = f"'{spelled}' is read before anything was stored into it"
                at = rewritten.lines.range(use.start_byte, use.end_byte)
                found.append(finding("INIT_UNINITIALISED_READ", text, str(rewritten.path), at, related=(related,),
                                     data={"space": "local", "variable": spelled}))  # fmt: skip
    return found


def host_variables(places: Places) -> list[Finding]:
    """Variables of the host that device functions name: the device's compiler refuses them, ours may fold them."""
    found = []
    for rewritten in places.files.values():
        root = rewritten.tree.root_node
        names = {name.text for name in _host_variables(rewritten)}
        if not names:
            continue
        for node in walk(root):
            body = node.child_by_field_name("body") if node.type == "function_definition" else None
            if body is None or not is_device_function(node) or _may_be_left_out(node):
                continue
            if any(child.type == "__host__" for child in node.children):
                continue
            local = {n.text for d in walk(node) if d.type in ("init_declarator", "parameter_declaration", "declaration")
                     for n in walk(d.child_by_field_name("declarator") or d) if n.type == "identifier"}  # fmt: skip
            for use in walk(body):
                if use.type == "identifier" and use.text in names and use.text not in local:
                    at = rewritten.lines.range(use.start_byte, use.end_byte)
                    text = f"device code uses the host's variable '{(use.text or b'').decode()}'"
                    found.append(finding("MEM_HOST_POINTER", text, str(rewritten.path), at))
    return found


def _may_be_left_out(node: Node) -> bool:
    """Does a condition of the preprocessor decide whether this is compiled? The guard of a header does not count."""
    here = node.parent
    while here is not None:
        guard = (
            here.type == "preproc_ifdef"
            and here.parent is not None
            and here.parent.type == "translation_unit"
        )
        if here.type.startswith("preproc_") and not (guard and (here.text or b"").startswith(b"#ifndef")):
            return True
        here = here.parent
    return False


_PLACED = re.compile(rb"\b(__managed__|__device__|__constant__|__shared__)\b")


def _host_variables(rewritten: Rewritten) -> Iterator[Node]:
    """Variables at file or namespace scope that nothing puts on the device: macros may, so that one keeps silent."""
    macros = set(re.findall(rb"^[ \t]*#[ \t]*define[ \t]+(\w+)", rewritten.original, re.MULTILINE))
    scopes = [rewritten.tree.root_node]
    while scopes:
        for node in scopes.pop().children:
            if node.type in ("namespace_definition", "declaration_list", "linkage_specification"):
                scopes.append(node)
            if node.type != "declaration":
                continue
            before = node.prev_sibling.end_byte if node.prev_sibling is not None else 0
            raw = rewritten.original[before : node.end_byte]
            if _PLACED.search(raw) or macros & set(re.findall(rb"\w+", raw)):
                continue
            words = {
                (child.text or b"") for child in node.children[:-1] if not child.type.endswith("declarator")
            }
            if words & {
                b"const",
                b"constexpr",
                b"extern",
                b"__device__",
                b"__constant__",
                b"__managed__",
                b"__shared__",
            }:
                continue
            for declarator in node.children_by_field_name("declarator"):
                inner = (
                    declarator.child_by_field_name("declarator")
                    if declarator.type == "init_declarator"
                    else declarator
                )
                if inner is not None and inner.type == "identifier":
                    yield inner


def writers_of(sites: Sequence[Mapping[str, Any]], places: Places) -> tuple[Writer, ...]:
    """The places that stored output elements, in the order of their numbers."""
    writers = []
    for site in sites:
        path, at = located(site.get("place"), places) or ("", None)
        writers.append(
            Writer(
                kind=site["kind"],
                path=path,
                line=at.line if at else 0,
                column=at.column if at else 0,
                kernel=site.get("kernel", ""),
            )
        )
    return tuple(writers)


def located(raw: Sequence[Any] | None, places: Places) -> tuple[str, Range] | None:
    """The expression that stands where the line table points to."""
    if not raw:
        return None
    path, line, column = raw
    rewritten = places.files.get(Path(path))
    if rewritten is None:
        return None
    at = rewritten.original_offset(line, column)
    return str(rewritten.path), expression_at(rewritten, at, exact=column > 0)


def expression_at(rewritten: Rewritten, offset: int, *, exact: bool) -> Range:
    """The smallest expression that the compiler means by `offset`; the statement's first word where it says no column."""
    if not exact:
        while rewritten.original[offset : offset + 1] in (b" ", b"\t"):
            offset += 1
    node = rewritten.tree.root_node.descendant_for_byte_range(offset, offset)
    if node is None:
        return rewritten.lines.range(offset, offset + 1)
    if exact and not node.is_named and node.parent is not None:
        node = node.parent  # an operator or a bracket stands for its expression
        if node.type in ("subscript_argument_list", "argument_list") and node.parent is not None:
            node = node.parent
    if not exact:
        statement: Node | None = node
        while statement is not None and statement.type not in _STATEMENT:
            statement = statement.parent
        node = statement or node
    if exact and node.type in ("identifier", "field_identifier"):
        # A call or an element is meant by its name's place.
        parent = node.parent
        if (
            parent is not None
            and parent.type in ("call_expression", "subscript_expression", "template_function")
            and (parent.start_byte == node.start_byte)
        ):
            node = parent
            if (
                node.type == "template_function"
                and node.parent is not None
                and node.parent.type == "call_expression"
            ):
                node = node.parent
    end = node.end_byte
    if rewritten.original.count(b"\n", node.start_byte, end):
        end = rewritten.original.index(b"\n", node.start_byte)
    return rewritten.lines.range(node.start_byte, max(end, node.start_byte + 1))


def _triple(value: Sequence[int]) -> str:
    return f"({', '.join(str(v) for v in value)})"


def _bytes(count: int) -> str:
    return f"{count} byte" if count == 1 else f"{count} bytes"


def _finding(record: Mapping[str, Any], places: Places) -> Finding:
    code = _CODES[record["kind"]]
    if record["kind"] in ("race_shared", "race_global"):
        record = _later_first(record, places)
    elif record["kind"] == "divergent_barrier":
        record = _conditional_first(record, places)
    here = located(record.get("place"), places)
    path, at = here or (str(places.main), places.entry.name_range if places.entry else _START)
    related = []
    for name, text in (
        ("object_place", "allocated here"),
        ("freed_place", "freed here"),
        ("neighbour_place", "the element before it is stored here"),
        ("other_place", _other(record)),
    ):
        other = located(record.get(name), places)
        if name == "other_place" and _of_allocation(record):
            continue
        if other is not None:
            related.append(Related(message=text, path=other[0], line=other[1].line, column=other[1].column))
    unwritten = _without_value(record, places)
    related += [declared for _, declared in unwritten]
    data: dict[str, Any] = {"count": record["count"]}
    if len(unwritten) == 1:
        data["variable"] = unwritten[0][0]
    if record["on_device"] and record["kind"] != "configuration":
        data |= {"thread": record["thread"], "block": record["block"]}
    if record["kernel"]:
        data["kernel"] = record["kernel"]
    for name in ("space", "object"):
        if record[name]:
            data[name] = record[name]
    if record["size"]:
        data |= {
            "size_bytes": record["size"],
            "offset_bytes": record["offset"],
            "object_bytes": record["object_size"],
        }
    if record["kind"] == "waits_for_host":
        data["feature"] = _WAITS_FOR_HOST
    if record["kind"] == "time":
        data["blocks_ended_lately"] = record["blocks_ended"]
    if record["mask"]:
        data["mask"] = f"{record['mask']:#010x}"
    return finding(
        code,
        _message(record, places, [name for name, _ in unwritten]),
        path,
        at,
        severity=_severity(record, places),
        related=tuple(related),
        data=data,
    )


def _of_allocation(record: Mapping[str, Any]) -> bool:
    """Is what came before, in another stream, the allocation itself?"""
    return (
        record["kind"] == "race_stream"
        and record.get("other_place") == record.get("object_place") is not None
    )


def _later_first(record: Mapping[str, Any], places: Places) -> Mapping[str, Any]:
    """A race seen from its later line: the barrier that is missing would stand before it."""
    here, there = located(record.get("place"), places), located(record.get("other_place"), places)
    if here is None or there is None or here[0] != there[0] or here[1].line >= there[1].line:
        return record
    swapped = dict(record)
    pairs = [("place", "other_place"), ("thread", "other_thread"), ("write", "other_write")]
    if not record["same_block"]:
        pairs.append(("block", "other_block"))
    for one, other in pairs:
        swapped[one], swapped[other] = record[other], record[one]
    return swapped


_MOST_NAMED = 3  # of more variables the one that is meant is not the likely one


def _without_value(record: Mapping[str, Any], places: Places) -> list[tuple[str, Related]]:
    """The variables without initialiser around a store of what nobody wrote, each with its declaration."""
    if record["kind"] != "uninitialised_read" or record["space"] != "local":
        return []
    found = _node_at(record.get("place"), places)
    node = found[1] if found is not None else None
    while node is not None and node.type != "function_definition":
        node = node.parent
    body = node.child_by_field_name("body") if node is not None else None
    if found is None or body is None:
        return []
    rewritten, path = found[0], str(found[0].path)
    named: list[tuple[str, Related]] = []
    for _, name in (*bare_locals(body), *bare_aggregates(body)):
        at = rewritten.lines.range(name.start_byte, name.end_byte)
        spelled = (name.text or b"").decode("utf-8", "replace")
        if spelled not in (earlier for earlier, _ in named):
            named.append((spelled, Related(message=f"'{spelled}' is declared here without a value", path=path,
                                           line=at.line, column=at.column)))  # fmt: skip
    return named if len(named) <= _MOST_NAMED else []


def _conditional_first(record: Mapping[str, Any], places: Places) -> Mapping[str, Any]:
    """Of two barriers at which threads meet, the one that stands under a condition is the mistake."""
    if record.get("other_place") is None or _is_conditional(record, places):
        return record
    swapped = dict(record)
    for one, other in (("place", "other_place"), ("thread", "other_thread")):
        swapped[one], swapped[other] = record[other], record[one]
    return swapped if _is_conditional(swapped, places) else record


_GRAVITY = {severity: n for n, severity in enumerate(Severity)}
_START = Range(line=1, column=1, end_line=1, end_column=1)


def _severity(record: Mapping[str, Any], places: Places) -> Severity | None:
    # Code that counts on the lanes of a warp going in step worked on older devices, and is run so here.
    if record["kind"] == "race_shared" and record["volatile"]:
        if record["same_warp"]:
            return Severity.WARNING
        # A warp that polls a flag of another waits for it.
        if _is_polled(record, places):
            return Severity.HINT
    # A reduction reads over the end of its lanes as a matter of course and drops what it got.
    if record["kind"] == "inactive_lane" and not record["indexed"] and record.get("other_place") is None:
        return Severity.HINT
    # The device lets threads that have returned out of barriers and masks; who passes by is another matter.
    if record["kind"] == "exited_lanes":
        passes_by = not record["harmless"] and _is_conditional(record, places)
        return Severity.WARNING if record["indexed"] or passes_by else Severity.HINT
    if record["kind"] == "missed_barrier":
        return Severity.WARNING if _is_conditional(record, places) else Severity.HINT
    if record["harmless"]:
        return Severity.HINT
    return None


def _is_polled(record: Mapping[str, Any], places: Places) -> bool:
    for place in ("place", "other_place"):
        found = _node_at(record.get(place), places)
        node = found[1] if found is not None else None
        while node is not None and node.parent is not None:
            if node.parent.type in ("while_statement", "do_statement", "for_statement") and any(
                child is not None and child.start_byte <= node.start_byte < child.end_byte
                for child in (node.parent.child_by_field_name("condition"),)
            ):
                return True
            node = node.parent
    return False


def _node_at(raw: Sequence[Any] | None, places: Places) -> tuple[Rewritten, Node] | None:
    rewritten = places.files.get(Path(raw[0])) if raw else None
    if raw is None or rewritten is None:
        return None
    at = rewritten.original_offset(raw[1], raw[2])
    while rewritten.original[at : at + 1] in (b" ", b"\t"):
        at += 1
    node = rewritten.tree.root_node.descendant_for_byte_range(at, at)
    return (rewritten, node) if node is not None else None


_ALIGNED_16 = re.compile(
    rb"\b(u?int4|float4|double[234]|u?longlong[234]|u?long[234]|ulong[234]|__align__|alignas|aligned|wmma)\b"
)


def _needs_alignment(record: Mapping[str, Any], places: Places) -> bool:
    """The compiler tells of 16 bytes in one piece where the type's alignment is 8 as well: is there one of 16?"""
    if record["size"] != 16 or record["address"] % 8:
        return True
    return any(_ALIGNED_16.search(rewritten.original) for rewritten in places.files.values())


def _is_discarded(record: Mapping[str, Any], places: Places) -> bool:
    """Is the call that failed a statement of its own, whose result nobody looks at?"""
    found = _node_at(record.get("place"), places)
    if found is None or record["harmless"]:
        return False
    node: Node | None = found[1]
    while node is not None and node.type not in ("call_expression", "compound_statement"):
        node = node.parent
    while node is not None and node.type in (
        "call_expression",
        "cast_expression",
        "parenthesized_expression",
    ):
        node = node.parent
    return node is not None and node.type == "expression_statement"


_CONDITIONAL = frozenset(
    ("if_statement", "for_statement", "while_statement", "do_statement", "switch_statement", "case_statement")
)


def _is_conditional(record: Mapping[str, Any], places: Places) -> bool:
    """Do threads pass by this barrier under a condition, rather than having returned before it?"""
    found = _node_at(record.get("place"), places)
    if found is None:
        return False
    rewritten, node = found
    seen: set[bytes] = set()
    waiting = [node]
    while waiting:
        conditional, function = _climb(waiting.pop())
        if function is None:
            continue
        if conditional:
            return True
        # It stands in the open: what about the calls of its function?
        declarator = function.child_by_field_name("declarator")
        while declarator is not None and declarator.type != "function_declarator":
            declarator = declarator.child_by_field_name("declarator")
        name = declarator.child_by_field_name("declarator") if declarator is not None else None
        if name is None or name.text is None or name.text in seen:
            continue
        seen.add(name.text)
        for call in walk(rewritten.tree.root_node):
            if call.type == "call_expression":
                called = call.child_by_field_name("function")
                spelled = (called.text or b"").split(b"<", 1)[0] if called is not None else b""
                if spelled == name.text and not any(c.type == "kernel_call_syntax" for c in call.children):
                    waiting.append(call)
    return False


def _climb(node: Node) -> tuple[bool, Node | None]:
    """Is `node` under a condition of its function, without a return before it that excuses who is missing? And which."""
    conditional, here = False, node.parent
    while here is not None and here.type not in ("function_definition", "lambda_expression"):
        conditional |= here.type in _CONDITIONAL
        here = here.parent
    if here is None or here.type != "function_definition":
        return False, None
    returned = any(n.type == "return_statement" and n.end_byte <= node.start_byte for n in walk(here))
    return conditional and not returned, here


def _other(record: Mapping[str, Any]) -> str:
    where = f"thread {_triple(record['other_thread'])}"
    if not record["same_block"]:
        where += f" of block {_triple(record['other_block'])}"
    if record["kind"] == "uninitialised_read":
        return "copied to the host here"
    if record["kind"] == "race_stream":
        return f"{'written' if record['other_write'] else 'read'} here, and that may not be over"
    if record["kind"] == "missed_barrier":
        return f"{where} is missing"
    if record["kind"] == "pending_copy":
        return f"{where} copies here"
    if record["kind"] == "inactive_lane":
        return "what comes of it is stored here"
    if record["kind"] in ("race_shared", "race_global"):
        return f"{where} {'writes' if record['other_write'] else 'reads'} here"
    return f"{where} waits here"


def _who(record: Mapping[str, Any]) -> str:
    return (
        f"thread {_triple(record['thread'])} of block {_triple(record['block'])}"
        if record["on_device"]
        else "the host"
    )


# What a program calls the memory that it allocates: `x` of `cudaMalloc((void**)&x, bytes)`.
_ALLOCATED = re.compile(
    rb"(?:\([^()]*\)|(?:reinterpret|static)_cast<[^<>]*>\()?\s*&?\s*([A-Za-z_][\w.\[\]>-]*)\)?\s*$"
)
_ENQUEUED = {
    "cudaMemcpy": "the copy",
    "cudaMemset": "the fill",
    "cudaFree": "its release",
    "cudaMalloc": "the allocation",
}


def _call_at(raw: Sequence[Any] | None, places: Places) -> tuple[str, Node, Rewritten] | None:
    """The call that stands at a place: what it calls, and where its arguments are."""
    found = _node_at(raw, places)
    node = found[1] if found is not None else None
    while node is not None and node.type not in ("call_expression", "compound_statement"):
        node = node.parent
    called = node.child_by_field_name("function") if node is not None else None
    if found is None or node is None or called is None or called.text is None:
        return None
    return called.text.decode("utf-8", "replace"), node, found[0]


def _allocated_name(record: Mapping[str, Any], places: Places) -> str:
    call = _call_at(record.get("object_place"), places)
    arguments = call[1].child_by_field_name("arguments") if call is not None else None
    if call is None or arguments is None or not re.match(r"cuda(Malloc|HostAlloc)", call[0]):
        return ""
    first = next(iter(arguments.named_children), None)
    named = (
        _ALLOCATED.match(call[2].original[first.start_byte : first.end_byte]) if first is not None else None
    )
    return named[1].decode("utf-8", "replace") if named is not None else ""


def _user(record: Mapping[str, Any], places: Places) -> str:
    """Who uses memory beside a stream: a thread, the host, or what the host enqueued."""
    if record["on_device"]:
        return _who(record)
    call = _call_at(record.get("place"), places)
    enqueued = (what for name, what in _ENQUEUED.items() if call is not None and call[0].startswith(name))
    return next(enqueued, "the host")


def _element(offset: int, size: int) -> str:
    """Which element lies at an offset in bytes, where accesses of `size` bytes have one."""
    if size not in (2, 4, 8, 16) or offset <= 0 or offset % size:
        return ""
    return f", element {offset // size} of {_bytes(size)}"


def _object(record: Mapping[str, Any], places: Places) -> str:
    name = str(record["object"])
    if record["space"] == "shared":
        return name if name == "dynamic shared memory" else f"shared '{name}'"
    if record["space"] in ("constant", "device variable"):
        return f"{record['space']} '{name}'"
    if name:
        return f"'{name}'"
    allocated = _allocated_name(record, places)
    if allocated:
        return f"the allocation '{allocated}'"
    return "the allocation" if record["object_size"] else "device memory"


def _message(record: Mapping[str, Any], places: Places, unwritten: Sequence[str]) -> str:
    """What happened, in a sentence; `unwritten` names the variables of which one has no value."""
    kind, extra, who = record["kind"], str(record["message"]), _who(record)
    verb = "writes" if record["write"] else "reads"
    size, offset, whole = record["size"], record["offset"], record["object_size"]
    what, element = _object(record, places), _element(offset, size)
    match kind:
        case "out_of_bounds" if record["space"] == "array":
            return f"index {offset} is outside of {record['object'].strip(chr(39))}; {who}"
        case "out_of_bounds" if extra:
            return f"{who} {verb} {_bytes(size)} of {extra}"
        case "out_of_bounds" if whole and offset >= 0:
            past = offset - whole
            where = (
                f"{_bytes(past)} past the end"
                if past > 0
                else "at the end"
                if past == 0
                else "across the end"
            )
            return (
                f"{who} {verb} {_bytes(size)} {where} of {what} ({_bytes(whole)}, offset {offset}{element})"
            )
        case "out_of_bounds" if whole:
            return f"{who} {verb} {_bytes(size)} {_bytes(-offset)} before {what} ({_bytes(whole)})"
        case "out_of_bounds":
            return (
                f"{who} {verb} {_bytes(size)} outside of every allocation, at address {record['address']:#x}"
            )
        case "misaligned":
            return f"{who} {verb} {_bytes(size)} at an address that is not a multiple of {size} (offset {offset} of {what})"
        case "use_after_free":
            return f"{who} {verb} {_bytes(size)} of {what} after it was freed"
        case "invalid_free":
            return f"an invalid free: {extra}"
        case "host_pointer" if extra:
            return extra
        case "host_pointer" if record["object"]:
            return f"{who} {verb} the host's variable '{record['object']}'"
        case "host_pointer":
            return f"{who} {verb} host memory: the pointer does not point into device memory"
        case "device_pointer":
            where = "" if what == "device memory" else f" ({what})"
            return extra or f"the host {verb} device memory{where}: copy it with cudaMemcpy"
        case "read_only":
            return f"{who} stores into {what}, which kernels can only read"
        case "stack_overflow":
            return f"the stack of {who} overflowed: recursion without end, or local arrays that are too large"
        case "uninitialised_read" if extra:
            return f"what is stored here was never written: {extra}"
        case "uninitialised_read" if record["space"] == "local":
            which = (
                f"'{unwritten[0]}', or a part of it, has no"
                if len(unwritten) == 1
                else "a local variable without a"
            )
            return f"what is stored here was never written: {which} value on the road taken"
        case "uninitialised_read":
            return f"{who} reads {_bytes(size)} of {what} that nobody has written (offset {offset}{element})"
        case "race_shared" | "race_global":
            other = "writes" if record["other_write"] else "reads"
            elsewhere = "" if record["same_block"] else f" of block {_triple(record['other_block'])}"
            lanes = "lanes of one warp without __syncwarp() between" if record["same_warp"] else (
                "no __syncthreads() between" if kind == "race_shared" else "nothing that orders them"
            )  # fmt: skip
            return f"{who} {verb} {what} at offset {offset}{element} while thread {_triple(record['other_thread'])}{elsewhere} {other} it: {lanes}"
        case "race_stream" if _of_allocation(record):
            return (
                f"{_user(record, places)} {verb} {what} at offset {offset}, which is allocated in the order of another stream: it is not there "
                "before that stream has got so far; wait for it by an event"
            )
        case "race_stream" if record.get("overtakes"):
            other = "writes" if record["other_write"] else "reads"
            return (
                f"{_user(record, places)} {verb} {what} at offset {offset}{element}, which kernel {extra} {other} in the launch before, "
                "which this one may overtake: call cudaGridDependencySynchronize() first"
            )
        case "race_stream":
            other = "writes" if record["other_write"] else "reads"
            earlier = f"kernel {extra}" if extra else "a copy enqueued before"
            missing = (
                "another stream"
                if _user(record, places) != "the host"
                else "a stream the host has not waited for"
            )
            return (
                f"{_user(record, places)} {verb} {what} at offset {offset}{element}, which {earlier} {other} in {missing}: "
                "wait for it, by an event or by synchronising"
            )
        case "order":
            return f"{what} differs at offset {offset} when warps and lanes run in another order"
        case "unchecked":
            return f"this call fails with {extra}, and nobody looks at its result"
        case "missed_barrier":
            return (
                f"thread {_triple(record['other_thread'])} of block {_triple(record['block'])} returned without reaching "
                "this barrier: the device does not wait for it, but it takes no part in what the barrier orders"
            )
        case "exited_lanes":
            if record["indexed"]:
                return (
                    f"lane {record['operand']} of the group has returned: what all of its threads are to make together is made without "
                    "it; let every thread come here, or take cooperative_groups::coalesced_threads()"
                )
            return f"mask {record['mask']:#010x} names lane {record['operand']}, which has returned without coming here"
        case "pending_copy":
            return (
                f"{who} {verb} {what} at offset {offset} before the asynchronous copy of thread "
                f"{_triple(record['other_thread'])} has arrived: wait for its group, then synchronise the threads"
            )
        case "divergent_barrier":
            place = located(record.get("other_place"), places)
            line = f" in line {place[1].line}" if place else ""
            return f"{who} waits at this barrier while thread {_triple(record['other_thread'])} waits at another{line}"
        case "deadlock":
            return f"no thread of block {_triple(record['block'])} can go on: {extra}"
        case "invalid_mask":
            return (
                extra
                if record["operand"] == 0 and "mask" in extra
                else f"mask {record['mask']:#010x} does not fit: {extra}"
            )
        case "inactive_lane":
            return (
                f"{who} reads lane {record['operand']}, which does not take part (mask {record['mask']:#010x}): the value is undefined"
                + (", and what comes of it is stored" if record.get("other_place") else "")
            )
        case "configuration":
            what = f"the launch of {record['kernel']}" if record["kernel"] else "what this begins"
            return f"{what} is refused: {extra}"
        case "trap":
            return f"{extra} ({who})" if record["on_device"] else extra
        case "time":
            return f"it did not end in time; it was here when stopped ({who})" + (
                f"; {extra}" if extra else ""
            )
        case "crash":
            return f"{extra} ({who})"
        case "sampled":
            return (
                f"races and unwritten shared memory were looked for in the first {extra}: more of a program this long takes "
                "more time than it has; bounds, alignment and unwritten global memory were looked at everywhere"
            )
        case "waits_for_host":
            return explain(_WAITS_FOR_HOST) + (
                "; here a launch is put off until the host waits for it, but it was to store something before the work behind it"
                if extra
                else "; here a launch is put off only where nothing was stored before it waits"
            )
        case "leak":
            return f"{_bytes(size)} of device memory allocated here are never freed"
        case _:
            return extra or str(kind).replace("_", " ")
