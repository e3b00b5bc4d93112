"""The names that a body calls, launches and mentions."""

from dataclasses import dataclass
from functools import cache

from tree_sitter import Node, Query

from kernelwright_backends.syntax.captures import captures
from kernelwright_backends.syntax.declarations import spell, text_of, tokens_of
from kernelwright_backends.syntax.tree import language

_BODY_QUERY = """
(call_expression function: (_) @callee)
(declaration type: (type_identifier) @invoked declarator: (parenthesized_declarator))
(call_expression (kernel_call_syntax)) @launch
(argument_list (identifier) @mentioned)
(argument_list (template_function) @mentioned)
(argument_list (qualified_identifier) @mentioned)
(pointer_expression argument: (_) @mentioned)
(cast_expression value: (_) @mentioned)
(init_declarator value: (_) @mentioned)
(assignment_expression right: (_) @mentioned)
(conditional_expression consequence: (_) @mentioned alternative: (_) @mentioned)
"""
_RUNTIME_LAUNCHES = frozenset(
    {"cudaLaunchKernel", "cudaLaunchCooperativeKernel", "cudaLaunchKernelExC", "cudaLaunchKernelEx"}
)
_MENTIONABLE = frozenset({"identifier", "template_function", "qualified_identifier"})


@cache
def body_query() -> Query:
    return Query(language(), _BODY_QUERY)


@dataclass(frozen=True)
class LaunchSite:
    """A launch by offsets from the start of its function's text."""

    kernel: str
    start: int
    end: int
    configuration: tuple[str, ...]


@dataclass(frozen=True)
class BodyFacts:
    """What a body says, by names only."""

    called: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    mentioned: tuple[str, ...] = ()
    launches: tuple[LaunchSite, ...] = ()
    empty: bool = False


def read_body(body: Node, origin: int, end: int | None = None) -> BodyFacts:
    found = captures(body_query(), body)
    for nodes in found.values():
        nodes.sort(key=in_the_text)
    limit = body.end_byte if end is None else end
    called: dict[str, int] = {}
    methods: dict[str, None] = {}
    mentioned: dict[str, int] = {}
    launches: list[LaunchSite] = []
    for node in found.get("callee", []):
        if node.start_byte >= limit:
            continue
        if node.type == "field_expression":
            field_name = node.child_by_field_name("field")
            if field_name is not None:
                methods.setdefault(name_of(field_name)[0])
            continue
        name = named_in(node)
        if name is not None:
            called.setdefault(name, node.start_byte)
        if name in _RUNTIME_LAUNCHES and node.parent is not None:
            site = _runtime_launch(name, node.parent, origin)
            if site is not None:
                launches.append(site)
                called.setdefault(site.kernel, node.start_byte)
    for node in found.get(
        "invoked", []
    ):  # a macro that is given a type, `LAUNCH(uint16_t);`, reads like a declaration
        if node.start_byte < limit:
            called.setdefault(text_of(node), node.start_byte)
    for node in found.get("launch", []):
        if node.start_byte >= limit:
            continue
        function = node.child_by_field_name("function")
        name = named_in(function) if function is not None else None
        syntax = next((c for c in node.children if c.type == "kernel_call_syntax"), None)
        if name is None or syntax is None:
            continue
        parts = tuple(spell(tokens_of(c)) for c in syntax.named_children if c.type != "comment")
        launches.append(LaunchSite(name, node.start_byte - origin, node.end_byte - origin, parts))
    for node in found.get("mentioned", []):
        if node.type in _MENTIONABLE and node.start_byte < limit:
            name = named_in(node)
            if name is not None:
                mentioned.setdefault(name, node.start_byte)
    launches.sort(key=lambda site: site.start)
    children = [c for c in body.named_children if c.start_byte < limit]
    return BodyFacts(
        called=tuple(sorted(called, key=called.__getitem__)),
        methods=tuple(methods),
        mentioned=tuple(mentioned),
        launches=tuple(launches),
        empty=body.type == "compound_statement"
        and all(c.type == "comment" or text_of(c) == ";" for c in children)
        and not body.has_error,
    )


def named_in(node: Node) -> str | None:
    """The function that an expression names: through parentheses, casts, `&f`, `TORCH_FN(f)`."""
    for _ in range(6):
        if node.type in ("identifier", "qualified_identifier", "template_function"):
            name, scopes = name_of(node)
            return "::".join([*scopes, name])
        if node.type == "field_expression":
            inner = node.child_by_field_name("field")
        elif node.type in ("field_identifier", "template_method"):
            return name_of(node)[0]
        elif node.type == "call_expression":
            arguments = node.child_by_field_name("arguments")
            inner = (
                arguments.named_children[0] if arguments is not None and arguments.named_children else None
            )
        elif node.type == "subscript_expression":  # of a table of functions
            inner = node.child_by_field_name("argument")
        elif node.type == "cast_expression":
            inner = node.child_by_field_name("value")
        elif node.type in ("pointer_expression", "parenthesized_expression", "unary_expression"):
            inner = node.child_by_field_name("argument") or next(iter(node.named_children), None)
        else:
            return None
        if inner is None:
            return None
        node = inner
    return None


def _runtime_launch(name: str, call: Node, origin: int) -> LaunchSite | None:
    """A launch through the runtime's functions instead of the triple brackets."""
    arguments = call.child_by_field_name("arguments")
    given = [c for c in arguments.named_children if c.type != "comment"] if arguments is not None else []
    extended = name.startswith("cudaLaunchKernelEx")
    if len(given) < (2 if extended else 3):
        return None
    kernel = named_in(given[1] if extended else given[0])
    if kernel is None:
        return None
    spelled = [spell(tokens_of(c)) for c in given]
    # cudaLaunchKernel(function, grid, block, arguments, shared bytes, stream)
    parts = () if extended else tuple(spelled[i] for i in (1, 2, 4, 5) if i < len(spelled))
    return LaunchSite(kernel, call.start_byte - origin, call.end_byte - origin, parts)


def name_of(node: Node) -> tuple[str, list[str]]:
    """(last name, scopes before it) of a possibly qualified, possibly instantiated name."""
    scopes: list[str] = []
    while node.type == "qualified_identifier":
        scope, name = node.child_by_field_name("scope"), node.child_by_field_name("name")
        if scope is not None:
            scopes.append(text_of(scope).split("<", 1)[0].strip())
        if name is None:
            break
        node = name
    if node.type in ("template_function", "template_method", "template_type"):
        name = node.child_by_field_name("name")
        node = name if name is not None else node
    return text_of(node), scopes


def in_the_text(node: Node) -> tuple[int, int]:
    """Sorts nodes as they stand, what holds others before them."""
    return node.start_byte, -node.end_byte
