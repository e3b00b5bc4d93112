"""From a syntax tree to the index of a document: a walk over what it declares, a query for each changed body."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Literal

from tree_sitter import Node, Query, QueryCursor

from kernelwright_backends.finding import START_OF_FILE, Range
from kernelwright_backends.kernel import Comment, Form, Function, Kernel, Launch, Parameter, SourceIndex
from kernelwright_backends.syntax.bodies import (
    BodyFacts,
    body_query,
    name_of,
    named_in,
    read_body,
    start_byte_of,
)
from kernelwright_backends.syntax.declarations import (
    Declarator,
    leaves,
    meaning,
    mentions_tensor,
    spell,
    spell_with,
    text_of,
    tokens_of,
    type_tokens,
    unwrap,
)
from kernelwright_backends.syntax.expansion import Macro, Use, kernel_macros, uses
from kernelwright_backends.syntax.increment import after_edit_of_body
from kernelwright_backends.syntax.lines import Lines
from kernelwright_backends.syntax.tree import Prepare, Prepared, SyntaxTree, language
from kernelwright_backends.target import Dialect

# What only a text with mistakes holds; bodies behind an unclosed `if (` look like initialisers.
_DAMAGE_QUERY = """
(compound_statement (function_definition) @function)
(compound_statement (template_declaration (function_definition) @function))
(compound_statement (linkage_specification (function_definition) @function))
(ERROR (function_definition) @function)
(ERROR (template_declaration (function_definition) @function))
(declaration declarator: (function_declarator) value: (initializer_list)) @function
(declaration declarator: (init_declarator declarator: (function_declarator) value: (initializer_list))) @function
(ERROR (function_declarator) @head)
(parameter_declaration "__global__" declarator: (function_declarator) @head)
(ERROR) @error
(MISSING) @missing
"""
_LAUNCHER_RETURNS = ("void", "int", "cudaError_t", "cudaError", "aclError")
_REGISTRATIONS = ("PYBIND11_MODULE", "TORCH_LIBRARY", "TORCH_LIBRARY_IMPL", "TORCH_LIBRARY_FRAGMENT")
_SCOPES = frozenset({"namespace_definition", "struct_specifier", "class_specifier", "union_specifier"})
_RECORDS = _SCOPES - {"namespace_definition"}
_MARKER = re.compile(rb"kernelwright:")
# What holds declarations. The statements of bodies, which are most of a file, are not gone through.
_CONTAINERS = _SCOPES | {
    "translation_unit", "declaration_list", "linkage_specification", "template_declaration", "field_declaration_list",
    "preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif", "preproc_elifdef", "ERROR",
}  # fmt: skip
# Of these, the ones through which the query is led to what is damaged within.
_OPENED = frozenset({"namespace_definition", "declaration_list", "linkage_specification"})
_DECLARING = frozenset({"declaration", "field_declaration", "type_definition"})


@cache
def _damage_query() -> Query:
    return Query(language(), _DAMAGE_QUERY)


def _damaged(root: Node, text: bytes) -> Iterator[Node]:
    """The declarations that hold mistakes, each as small as it is: the query takes as long as what it goes through is, and
    somebody is typing. A function whose head was misread may look like a variable that a list initialises, without a mistake.
    """
    if root.type == "ERROR":
        yield root
        return
    waiting = [root]
    while waiting:
        for child in waiting.pop().children:
            if child.has_error or child.is_missing:
                if child.type in _OPENED:
                    waiting.append(child)
                else:
                    yield child
            elif child.type == "declaration" and b"{" in text[child.start_byte : child.end_byte]:
                yield child


@dataclass(frozen=True)
class _Signature:
    """What a definition says before its body, by offsets from its start: true wherever the same text stands."""

    name: str
    scope: tuple[str, ...]
    name_at: tuple[int, int]
    declarator_at: tuple[int, int]
    kind: Literal["kernel", "device", "host"]
    return_type: str
    typed: bool
    """A return type stands there, or the name is one that has none (constructors, operators)."""
    template_parameters: tuple[str, ...]
    parameters: tuple[tuple[Parameter, int, int], ...]


@dataclass
class _Definition:
    """A function while the index is made."""

    signature: _Signature
    parameters: tuple[Parameter, ...]
    name_range: Range
    qualified_name: str
    start: int
    end: int
    body: tuple[int, int]
    declarator: tuple[int, int]
    kind: Literal["kernel", "device", "host"]
    member: bool
    facts: BodyFacts = field(default_factory=BodyFacts)
    calls: tuple[str, ...] = ()
    launches: bool = False

    @property
    def name(self) -> str:
        return self.signature.name


@dataclass
class _Known:
    """What was read before, by the text that it was read from; an edit elsewhere leaves it true."""

    bodies: dict[bytes, BodyFacts] = field(default_factory=dict)
    signatures: dict[bytes, _Signature | None] = field(default_factory=dict)
    placed: dict[tuple[bytes, int, int], tuple[Range, tuple[Parameter, ...]]] = field(default_factory=dict)
    functions: dict[tuple[bytes, int, int, str], Function] = field(default_factory=dict)
    expansions: dict[bytes, SourceIndex] = field(default_factory=dict)
    context: "_Context | None" = None


@dataclass
class _Context:
    """What declarations elsewhere in the file mean for the function at hand."""

    aliases: dict[str, str] = field(default_factory=dict)
    macros: dict[str, BodyFacts] = field(default_factory=dict)
    defining: dict[bytes, Macro] = field(default_factory=dict)
    """The macros that define kernels."""


class DocumentIndexer:
    """The index of one document, kept while it is edited (the protocol `Indexer`)."""

    def __init__(
        self, text: bytes, dialect: Dialect, prepare: Prepare, types: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        """
        Args:
            types: what the dialect's own headers define, such as `GM_ADDR`.
        """
        self._dialect = dialect
        self._types = types
        self._syntax = SyntaxTree(text, prepare)
        self._index: SourceIndex | None = None
        self._known = _Known()

    @property
    def syntax(self) -> SyntaxTree:
        """The tree of the text as it is now."""
        return self._syntax

    @property
    def index(self) -> SourceIndex:
        if self._index is None:
            build = _Build(self._syntax, self._dialect, self._known, self._types)
            self._index = build.index()
            self._known = build.seen
        return self._index

    def edit(self, start_byte: int, old_end_byte: int, new_end_byte: int, new_text: bytes) -> None:
        """Take the whole document after an edit; where it changed is found by comparing, in C."""
        del start_byte, old_end_byte, new_end_byte
        before, index = self._syntax.prepared, self._index
        change = self._syntax.follow(new_text)
        self._index = None
        if index is None or index.syntax_errors or before.marks or self._syntax.prepared.marks:
            return
        found = after_edit_of_body(index, change, self._syntax.tree.root_node, self._known.bodies)
        if found is not None:
            self._index, body, facts = found
            self._known.bodies[body] = facts

    def replace(self, text: bytes) -> None:
        self._syntax.replace(text)
        self._index = None


class _Build:
    def __init__(self, syntax: SyntaxTree, dialect: Dialect, known: _Known, types: Mapping[str, str]) -> None:
        self.text = syntax.original
        self.prepare = syntax.prepare
        self.prepared = syntax.prepared
        self.root = syntax.tree.root_node
        self.dialect = dialect
        self.lines = Lines(self.text)
        self.known = known
        self.seen = _Known()
        self.context = _Context(aliases=dict(types))

    def index(self) -> SourceIndex:
        found = _declarations(self.root)
        if self.root.has_error:
            for damaged in _damaged(self.root, self.prepared.text):
                for name, nodes in QueryCursor(_damage_query()).captures(damaged).items():
                    found.setdefault(name, []).extend(nodes)
        for name, nodes in found.items():
            found[name] = sorted({node.id: node for node in nodes}.values(), key=start_byte_of)
        self._read_macros_and_aliases(found)
        bindings: list[tuple[str, str]] = []
        definitions: list[_Definition] = []
        for node in found.get("function", []):
            definition = self._definition(node)
            if definition is not None and definition.name in _REGISTRATIONS:
                bindings += self._bindings(node)
            elif definition is not None and (definition.signature.typed or definition.member):
                definitions.append(definition)  # what has no type is a macro with a block: TEST(a, b) { ... }
        definitions += self._strays(found.get("head", []), definitions)
        definitions.sort(key=lambda d: d.start)
        expanded = [self._expanded(use) for use in uses(self.prepared.text, self.root, self.context.defining)]
        made = [f for index in expanded for f in (*index.kernels, *index.functions)]
        launches = self._resolve(definitions, {f.name for f in made if isinstance(f, Kernel)})
        launches += [launch for index in expanded for launch in index.launches]
        functions = [self._function(d, {name for _, name in bindings}) for d in definitions]
        functions = sorted([*functions, *made], key=lambda f: f.start_byte) if made else functions
        errors = sorted((*found.get("error", []), *found.get("missing", [])), key=start_byte_of)
        return SourceIndex(
            dialect=self.dialect,
            functions=tuple(f for f in functions if not isinstance(f, Kernel)),
            kernels=tuple(f for f in functions if isinstance(f, Kernel)),
            launches=tuple(launches),
            includes=tuple(text_of(n) for n in found.get("include", [])),
            bindings=tuple(dict.fromkeys(bindings)),
            comments=self._comments(),
            has_main=any(d.qualified_name == "main" and d.kind == "host" for d in definitions),
            syntax_errors=tuple(self.lines.range(n.start_byte, n.end_byte) for n in errors),
        )

    # ---- the file

    def _read_macros_and_aliases(self, found: dict[str, list[Node]]) -> None:
        for macro in found.get("define", []):
            value = macro.parent.child_by_field_name("value") if macro.parent else None
            if value is not None:
                self.context.aliases[text_of(macro)] = text_of(value).split("//")[0].strip()
        for node in found.get("alias", []):
            name, kind = node.child_by_field_name("name"), node.child_by_field_name("type")
            if name is not None and kind is not None:
                self.context.aliases[text_of(name)] = spell(tokens_of(kind))
        for node in found.get("typedef", []):
            declarator = unwrap(node.child_by_field_name("declarator"))
            name = node.child_by_field_name("declarator")
            while name is not None and name.type in ("pointer_declarator", "array_declarator"):
                name = name.child_by_field_name("declarator")
            kind = node.child_by_field_name("type")
            if name is None or kind is None:
                continue
            if declarator.function is None and kind.type != "struct_specifier":
                words = [t for c in node.children if c.type == "type_qualifier" for t in tokens_of(c)]
                self.context.aliases[text_of(name)] = spell([*words, *tokens_of(kind), *declarator.before])
        for macro in (*found.get("macro", []), *found.get("define", [])):
            value = macro.parent.child_by_field_name("value") if macro.parent else None
            if value is not None and b"(" in (value.text or b""):
                self.context.macros[text_of(macro)] = self._macro_facts(value.text or b"")
        self.context.defining = kernel_macros(self.prepared.text, self.root, self.context.defining)
        if self.context != self.known.context:
            self.known.signatures.clear()
            self.known.placed.clear()
            self.known.functions.clear()
            self.known.expansions.clear()
        self.seen.context = self.context

    def _expanded(self, use: Use) -> SourceIndex:
        """What a macro defines, at the place where it is used."""
        inside = self.known.expansions.get(use.text)
        if inside is None:
            build = _Build(SyntaxTree(use.text, self.prepare), self.dialect, _Known(), self.context.aliases)
            build.context.macros = dict(self.context.macros)
            # Within what it stands for, a macro is not replaced again.
            build.context.defining = {n: m for n, m in self.context.defining.items() if n != use.macro}
            inside = build.index()
        self.seen.expansions[use.text] = inside
        scopes = _surroundings(use.node)[0]
        whole = self.lines.range(use.start, use.end)

        def placed(function: Function) -> Function:
            return function.model_copy(
                update={
                    "qualified_name": "::".join([*scopes, function.qualified_name]),
                    "parameters": tuple(p.model_copy(update={"range": whole}) for p in function.parameters),
                    "range": whole,
                    "name_range": self.lines.range(use.start, use.name_end),
                    "body_range": whole,
                    "start_byte": use.start,
                    "end_byte": use.end,
                }
            )

        return inside.model_copy(
            update={
                "kernels": tuple(map(placed, inside.kernels)),
                "functions": tuple(map(placed, inside.functions)),
                "launches": tuple(x.model_copy(update={"range": whole}) for x in inside.launches),
            }
        )

    def _macro_facts(self, value: bytes) -> BodyFacts:
        """What a macro's replacement calls and launches: it is read as if it stood in a function."""
        key = b"#" + value
        facts = self.known.bodies.get(key)
        if facts is None:
            body = value.replace(b"\\\r\n", b" ").replace(b"\\\n", b" ").replace(b"##", b"  ")
            tree = SyntaxTree(b"void f() { " + body + b"; }", Prepared).tree
            facts = read_body(tree.root_node, 0)
        self.seen.bodies[key] = facts
        return facts

    def _comments(self) -> tuple[Comment, ...]:
        """The comments that hold `kernelwright:`; looking for the word is quicker than looking at all comments."""
        nodes: dict[int, Node] = {}
        for match in _MARKER.finditer(self.prepared.text):
            node = self.root.descendant_for_byte_range(match.start(), match.end())
            if node is not None and node.type == "comment":
                nodes[node.start_byte] = node
        return tuple(self._comment(nodes[start]) for start in sorted(nodes))

    def _comment(self, node: Node) -> Comment:
        content = self.text[node.start_byte : node.end_byte].rstrip(b"\r")
        return Comment(
            text=content.decode("utf-8", "replace"),
            range=self.lines.range(node.start_byte, node.start_byte + len(content)),
        )

    def _bindings(self, module: Node) -> list[tuple[str, str]]:
        """(exported name, C function) of `m.def("name", &f)` and `m.impl("name", TORCH_FN(f))`."""
        result = []
        for callee in QueryCursor(body_query()).captures(module).get("callee", []):
            call = callee.parent
            arguments = call.child_by_field_name("arguments") if call is not None else None
            method = callee.child_by_field_name("field")
            if arguments is None or method is None or text_of(method) not in ("def", "impl"):
                continue
            given = [c for c in arguments.named_children if c.type != "comment"]
            if len(given) < 2 or given[0].type != "string_literal":
                continue
            exported = text_of(given[0]).strip('"').split("(")[0].strip()
            function = named_in(given[1])
            if function is not None:
                result.append((exported, function))
        return result

    # ---- definitions

    def _definition(self, node: Node) -> _Definition | None:
        # Behind an unclosed `if (` the parser takes a body for an initialiser.
        body = node.child_by_field_name("body") or _initialiser(node)
        if body is None:
            return None
        scopes, member, template, outermost = _surroundings(node)
        start = self._start(outermost)
        head = self.text[start : body.start_byte]
        if head in self.known.signatures:
            signature = self.known.signatures[head]
        else:
            declarator = unwrap(node.child_by_field_name("declarator"))
            signature = self._signature(node, declarator, template, start)
        self.seen.signatures[head] = signature
        if signature is None:
            return None
        end, body_end = outermost.end_byte, body.end_byte
        # A block that is not closed swallows what follows; the next definition in it ends it.
        following = _nested_definition(body) if body.has_error else None
        if following is not None:
            end = body_end = self._before(following.start_byte)
        scope = signature.scope
        name_range, parameters = self._placed(head, signature, start)
        return _Definition(
            signature=signature,
            parameters=parameters,
            name_range=name_range,
            qualified_name="::".join([*scopes, *scope, signature.name]),
            start=start,
            end=end,
            body=(body.start_byte, body_end),
            declarator=(start + signature.declarator_at[0], start + signature.declarator_at[1]),
            kind=signature.kind,
            member=member or bool(scope and _is_record(scope[-1], self.root)),
            facts=self._body_facts(body, body_end),
        )

    def _strays(self, heads: list[Node], definitions: list[_Definition]) -> list[_Definition]:
        """Heads of kernels that the parser could not join with a body, since something is being typed there."""
        result: list[_Definition] = []
        names = {d.qualified_name for d in definitions}
        for head in heads:
            declarator = unwrap(head)
            parent = head.parent
            if declarator.name is None or parent is None:
                continue
            before = _specifiers_before(head)
            following = next((c for c in parent.children if c.start_byte >= head.end_byte), None)
            if not any(leaf.type == "__global__" for child in before for leaf in leaves(child)) or (
                following is not None and following.type == ";"
            ):
                continue
            scopes, member, template, _ = _surroundings(parent)
            start = before[0].start_byte
            signature = self._signature(parent, declarator, template, start)
            if signature is None:
                continue
            qualified_name = "::".join([*scopes, *signature.scope, signature.name])
            if qualified_name in names:
                continue
            names.add(qualified_name)
            # As a parameter of an unclosed head it has that head's body, else all up to the next definition.
            place = head.start_byte
            holder = next((d for d in definitions if d.declarator[0] < place < d.declarator[1]), None)
            end = self._before(min((d.start for d in definitions if d.start > place), default=len(self.text)))
            name_range, parameters = self._placed(self.text[start : head.end_byte], signature, start)
            result.append(
                _Definition(
                    signature=signature,
                    parameters=parameters,
                    name_range=name_range,
                    qualified_name=qualified_name,
                    start=start,
                    end=holder.end if holder else end,
                    body=holder.body if holder else (min(head.end_byte, end), end),
                    declarator=(head.start_byte, head.end_byte),
                    kind="kernel",
                    member=member,
                    facts=holder.facts if holder else BodyFacts(),
                )
            )
        return result

    def _before(self, offset: int) -> int:
        """`offset` without the blank space before it."""
        return len(self.text[:offset].rstrip())

    def _start(self, outermost: Node) -> int:
        """Where a definition begins, with qualifiers before it that were blanked for the grammar."""
        previous = outermost.prev_sibling
        parent = outermost.parent
        floor = previous.end_byte if previous is not None else parent.start_byte if parent is not None else 0
        if floor >= outermost.start_byte or self.prepared.text is self.text:
            return outermost.start_byte
        gap = self.text[floor : outermost.start_byte]
        blanked = gap.lstrip()
        if not blanked or self.prepared.text[floor : outermost.start_byte].strip():
            return outermost.start_byte
        return floor + len(gap) - len(blanked)

    def _qualifiers(self, node: Node, start: int, until: int) -> set[str]:
        words = {
            leaf.type
            for child in node.children
            if child.start_byte < until
            for leaf in (
                leaves(child) if child.type not in ("function_declarator", "compound_statement") else ()
            )
            if leaf.start_byte < until
        }
        kind = node.child_by_field_name("type")
        if kind is not None:
            replacement = self.context.aliases.get(text_of(kind), "")
            words |= set(replacement.split()) & {"__global__", "__device__", "__host__"}
        for place, meant in self.prepared.marks.items():
            if start <= place < until:
                words |= meant
        return words

    def _signature(
        self, node: Node, declarator: Declarator, template: Node | None, start: int
    ) -> _Signature | None:
        """None where what was found is no function."""
        function = declarator.function
        if declarator.name is None or function is None:
            return None
        name, scope = name_of(declarator.name)
        last = _last_name(declarator.name)
        qualifiers = self._qualifiers(node, start, function.start_byte)
        device: Literal["device", "host"] = "device" if "__device__" in qualifiers else "host"
        typed = node.child_by_field_name("type") is not None or bool(scope) or node.type == "ERROR"
        return _Signature(
            name=name,
            scope=tuple(scope),
            name_at=(last.start_byte - start, last.end_byte - start),
            declarator_at=(function.start_byte - start, function.end_byte - start),
            kind="kernel" if "__global__" in qualifiers else device,
            return_type=self._return_type(node, function),
            typed=typed or _is_special(declarator.name),
            template_parameters=_template_parameters(template),
            parameters=self._parameters(function, start),
        )

    def _placed(self, head: bytes, signature: _Signature, start: int) -> tuple[Range, tuple[Parameter, ...]]:
        """Where the name and the parameters of a signature stand in this text."""
        key = (head, *self.lines.place(start))
        placed = self.known.placed.get(key)
        if placed is None:
            placed = (
                self.lines.range(start + signature.name_at[0], start + signature.name_at[1]),
                tuple(
                    parameter.model_copy(update={"range": self.lines.range(start + begin, start + end)})
                    for parameter, begin, end in signature.parameters
                ),
            )
        self.seen.placed[key] = placed
        return placed

    def _return_type(self, node: Node, function: Node) -> str:
        trailing = next((c for c in function.children if c.type == "trailing_return_type"), None)
        if trailing is not None:
            return spell([t for t in tokens_of(trailing) if t != "->"])
        top = node.child_by_field_name("declarator") or function
        kind = node.child_by_field_name("type")
        tokens = [t for t in type_tokens(node, top) if t != "constexpr"]
        broken = next((c for c in node.children if c.type == "ERROR" and c.end_byte <= top.start_byte), None)
        if broken is not None and kind is not None and kind.end_byte <= broken.start_byte:
            tokens = tokens_of(broken)  # an unknown macro before the type was taken for the type
        return spell([*tokens, *_around(top, function)])

    def _parameters(self, function: Node, start: int) -> tuple[tuple[Parameter, int, int], ...]:
        node = function.child_by_field_name("parameters")
        if node is None:
            return ()
        result = []
        for child in node.named_children:
            if any(c.type == "__global__" for c in child.children):
                break  # the next kernel's head, since this one is not closed yet
            if child.type in (
                "parameter_declaration", "optional_parameter_declaration", "variadic_parameter_declaration",
            ):  # fmt: skip
                parameter = self._parameter(child)
                if parameter is not None:
                    result.append((parameter, child.start_byte - start, child.end_byte - start))
        return tuple(result)

    def _parameter(self, node: Node) -> Parameter | None:
        top = node.child_by_field_name("declarator")
        declarator = unwrap(top)
        default = node.child_by_field_name("default_value")
        tokens = type_tokens(node, top or default)
        if tokens == ["void"] and top is None:
            return None
        meant = meaning(
            tokens, 0 if declarator.function is not None else declarator.pointers, self.context.aliases
        )
        return Parameter(
            name=text_of(declarator.name) if declarator.name is not None else "",
            type=spell_with(tokens, declarator),
            range=START_OF_FILE,
            pointer=meant.pointer,
            const=meant.const,
            element=None if declarator.function is not None else meant.element,
            tensor=meant.tensor,
            stream=meant.stream,
            default=spell(tokens_of(default)) if default is not None else None,
        )

    # ---- bodies

    def _body_facts(self, body: Node, end: int) -> BodyFacts:
        key = self.prepared.text[body.start_byte : end]
        facts = self.known.bodies.get(key) or self.seen.bodies.get(key)
        if facts is None:
            facts = read_body(body, body.start_byte, end)
        self.seen.bodies[key] = facts
        return facts

    # ---- what the definitions mean to each other

    def _resolve(self, definitions: list[_Definition], others: set[str]) -> list[Launch]:
        """Fill in calls, launches and kinds; what is launched is a kernel, whatever macro says so.

        Args:
            others: the names of kernels that macros define.
        """
        by_name: dict[str, list[_Definition]] = {}
        for definition in definitions:
            by_name.setdefault(definition.name, []).append(definition)
        expanded: dict[int, BodyFacts] = {}
        for definition in definitions:
            facts = expanded[id(definition)] = self._with_macros(definition.facts)
            for site in facts.launches:
                for launched in by_name.get(_last(site.kernel), []):
                    if launched.kind == "host" and launched is not definition and not launched.member:
                        launched.kind = "kernel"
        kernels = {d.name for d in definitions if d.kind == "kernel"} | others
        members = {d.name for d in definitions if d.member}
        launches: list[Launch] = []
        for definition in definitions:
            facts = expanded[id(definition)]
            # A kernel that is passed on by name is launched by whoever gets it.
            passed = [n for n in facts.mentioned if _last(n) in kernels]
            own_methods = [m for m in facts.methods if m in members]
            definition.calls = tuple(dict.fromkeys([*facts.called, *passed, *own_methods]))
            definition.launches = bool(facts.launches)
            for site in definition.facts.launches:
                parts = site.configuration
                launches.append(
                    Launch(
                        kernel=site.kernel,
                        caller=definition.qualified_name,
                        range=self.lines.range(
                            definition.body[0] + site.start, definition.body[0] + site.end
                        ),
                        grid=parts[0] if parts else "",
                        block=parts[1] if len(parts) > 1 else "",
                        smem=parts[2] if len(parts) > 2 else None,
                        stream=parts[3] if len(parts) > 3 else None,
                    )
                )
        changed = True
        while changed:
            changed = False
            for definition in definitions:
                if not definition.launches and any(
                    other.launches and other is not definition
                    for name in definition.calls
                    for other in by_name.get(_last(name), [])
                ):
                    definition.launches = changed = True
        return launches

    def _with_macros(self, facts: BodyFacts) -> BodyFacts:
        """The facts of a body with those of the macros that it uses."""
        if not self.context.macros:
            return facts
        waiting, seen, all_facts = list(facts.called), set[str](), [facts]
        while waiting:
            name = waiting.pop()
            if name in self.context.macros and name not in seen:
                seen.add(name)
                all_facts.append(self.context.macros[name])
                waiting += self.context.macros[name].called
        if len(all_facts) == 1:
            return facts
        return BodyFacts(
            called=tuple(dict.fromkeys(n for f in all_facts for n in f.called)),
            methods=tuple(dict.fromkeys(n for f in all_facts for n in f.methods)),
            mentioned=tuple(dict.fromkeys(n for f in all_facts for n in f.mentioned)),
            launches=tuple(site for f in all_facts for site in f.launches),
            empty=facts.empty,
        )

    def _function(self, definition: _Definition, bound: set[str]) -> Function:
        start, end = definition.start, definition.end
        form = self._form(definition, bound)
        key = (self.text[start:end], *self.lines.place(start), definition.qualified_name)
        function = self.known.functions.get(key)
        if (
            function is None
            or function.kind != definition.kind
            or function.form != form
            or function.calls != definition.calls
        ):
            function = self._new_function(definition, form)
        elif function.start_byte != start:
            # The same text in the same place of its line: only bytes before it came or went.
            function = function.model_copy(update={"start_byte": start, "end_byte": end})
        self.seen.functions[key] = function
        return function

    def _new_function(self, definition: _Definition, form: Form | None) -> Function:
        signature = definition.signature
        make = Kernel if definition.kind == "kernel" else Function
        return make(
            name=signature.name,
            qualified_name=definition.qualified_name,
            kind=definition.kind,
            return_type=signature.return_type,
            template_parameters=signature.template_parameters,
            parameters=definition.parameters,
            range=self.lines.range(definition.start, definition.end),
            name_range=definition.name_range,
            body_range=self.lines.range(*definition.body),
            start_byte=definition.start,
            end_byte=definition.end,
            empty=definition.facts.empty,
            calls=definition.calls,
            form=form,
        )

    def _form(self, definition: _Definition, bound: set[str]) -> Form | None:
        """The form that a function has as an entry, by its signature and what it reaches."""
        if definition.member:
            return None
        if definition.kind == "kernel":
            return "ascendc" if self.dialect == "ascendc" else "kernel"
        if definition.kind == "device" or definition.qualified_name == "main":
            return None
        if mentions_tensor(definition.signature.return_type):
            return "tensor"
        exported = bool(bound & {definition.name, definition.qualified_name})
        if not (definition.launches or definition.facts.empty or exported):
            return None
        if any(p.tensor or mentions_tensor(p.type) for p in definition.parameters):
            return "tensor"
        if definition.signature.return_type.removeprefix("::") not in _LAUNCHER_RETURNS:
            return None
        pointers = [p for p in definition.parameters if p.pointer]
        return "launcher" if pointers else None


def _initialiser(node: Node) -> Node | None:
    declarator = node.child_by_field_name("declarator")
    inner = declarator if declarator is not None and declarator.type == "init_declarator" else node
    return inner.child_by_field_name("value")


def _is_special(name: Node) -> bool:
    return name.type in ("operator_name", "destructor_name", "operator_cast", "qualified_identifier")


def _is_record(name: str, root: Node) -> bool:
    """Whether `name::f` is a member of a struct of this file rather than of a namespace."""
    for node in root.named_children:
        if node.type in _RECORDS:
            declared = node.child_by_field_name("name")
            if declared is not None and name_of(declared)[0] == name:
                return True
    return False


def _specifiers_before(head: Node) -> list[Node]:
    """What stands before a function's declarator and belongs to it, also where the parser put an error around it."""
    result: list[Node] = []
    node: Node | None = head
    while node is not None and node.parent is not None:
        before = [c for c in node.parent.children if c.end_byte <= node.start_byte]
        for child in reversed(before):
            if (
                child.type in (";", "{", "}", ",", "(", "comment", "function_declarator")
                or child.type.endswith(("definition", "declaration", "statement"))
                or child.type.startswith("preproc")
            ):
                return result
            result.insert(0, child)
        node = node.parent if node.parent.type == "ERROR" else None
    return result


def _surroundings(node: Node) -> tuple[list[str], bool, Node | None, Node]:
    """(scopes from the outside in, whether a struct holds it, its template head, the whole definition)."""
    scopes: list[str] = []
    member, template, outermost, climbing = False, None, node, True
    parent = node.parent
    while parent is not None:
        if climbing and parent.type == "template_declaration":
            template = template or parent.child_by_field_name("parameters")
            outermost = parent
        elif (
            climbing
            and parent.type == "linkage_specification"
            and parent.child_by_field_name("body") == outermost
        ):
            outermost = parent
        else:
            climbing = False
        if parent.type in _SCOPES:
            name = parent.child_by_field_name("name")
            if name is not None:
                scopes.insert(0, text_of(name).split("<", 1)[0].strip())
            member = member or (parent.type in _RECORDS)
        elif parent.type == "function_definition":
            break  # inside a block that is not closed yet
        parent = parent.parent
    return scopes, member, template, outermost


def _declarations(root: Node) -> dict[str, list[Node]]:
    """The functions, includes, macros and aliases of a file, outside of bodies."""
    found: dict[str, list[Node]] = {}
    waiting = [root]
    while waiting:
        for node in waiting.pop().named_children:
            kind = node.type
            if kind == "function_definition":
                found.setdefault("function", []).append(node)
            elif kind in _CONTAINERS:
                waiting.append(node)
            elif kind == "preproc_include":
                path = node.child_by_field_name("path")
                found.setdefault("include", []).extend([path] if path is not None else [])
            elif kind in ("preproc_def", "preproc_function_def"):
                name = node.child_by_field_name("name")
                key = "define" if kind == "preproc_def" else "macro"
                found.setdefault(key, []).extend([name] if name is not None else [])
            elif kind == "alias_declaration":
                found.setdefault("alias", []).append(node)
            if kind == "type_definition":
                found.setdefault("typedef", []).append(node)
            if kind in _DECLARING or kind == "function_definition":
                # `struct Functor { ... } functor;`, and a struct as a return type
                record = node.child_by_field_name("type")
                if record is not None and record.type in _RECORDS:
                    waiting.append(record)
    return found


def _last_name(node: Node) -> Node:
    """The node of the last name: `softmax` of `ns::softmax<float>`."""
    while node.type in ("qualified_identifier", "template_function"):
        name = node.child_by_field_name("name")
        if name is None:
            break
        node = name
    return node


def _around(top: Node | None, function: Node | None) -> tuple[str, ...]:
    """The `*` and `&` between a return type and the function's declarator."""
    words: list[str] = []
    while top is not None and top != function:
        inner = top.child_by_field_name("declarator") or next(
            (c for c in top.named_children if c.type.endswith("declarator")), None
        )
        words += [
            text_of(c) for c in top.children if c != inner and c.type in ("*", "&", "&&", "type_qualifier")
        ]
        top = inner
    return tuple(words)


def _template_parameters(template: Node | None) -> tuple[str, ...]:
    if template is None:
        return ()
    return tuple(spell(tokens_of(c)) for c in template.named_children if c.type != "comment")


def _nested_definition(body: Node) -> Node | None:
    """The first definition that an unclosed block swallowed, with its template head."""
    for child in body.named_children:
        if child.type == "function_definition":
            return child
        if child.type in ("template_declaration", "linkage_specification") and any(
            c.type == "function_definition" for c in child.named_children
        ):
            return child
    return None


def _last(name: str) -> str:
    return name.rsplit("::", 1)[-1]
