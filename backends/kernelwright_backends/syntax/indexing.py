"""From a syntax tree to the index of a document: a walk over what it declares, a query for each changed body."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from tree_sitter import Node

from kernelwright_backends.core.finding import Range
from kernelwright_backends.core.kernel import Comment, Form, Function, Kernel, Parameter, SourceIndex
from kernelwright_backends.core.target import Dialect
from kernelwright_backends.syntax.bodies import (
    BodyFacts,
    body_query,
    in_the_text,
    named_in,
    read_body,
)
from kernelwright_backends.syntax.captures import captures
from kernelwright_backends.syntax.declarations import (
    Declarator,
    leaves,
    spell,
    text_of,
    tokens_of,
    unwrap,
)
from kernelwright_backends.syntax.expansion import Macro, Use, kernel_macros, uses
from kernelwright_backends.syntax.increment import after_edit_of_body
from kernelwright_backends.syntax.lines import Lines
from kernelwright_backends.syntax.outline import (
    initialiser,
    is_record,
    nested_definition,
    outline,
    specifiers_before,
    surroundings,
)
from kernelwright_backends.syntax.resolution import Definition, form_of, resolve
from kernelwright_backends.syntax.signatures import Signature, read_signature
from kernelwright_backends.syntax.tree import Prepare, Prepared, SyntaxTree

_REGISTRATIONS = ("PYBIND11_MODULE", "TORCH_LIBRARY", "TORCH_LIBRARY_IMPL", "TORCH_LIBRARY_FRAGMENT")
_MARKER = re.compile(rb"kernelwright:")


@dataclass
class _Known:
    """What was read before, by the text that it was read from; an edit elsewhere leaves it true."""

    bodies: dict[bytes, BodyFacts] = field(default_factory=dict)
    signatures: dict[bytes, Signature | None] = field(default_factory=dict)
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
        if self._index is None and self._syntax.unread:
            self._index, self._known = (
                SourceIndex(dialect=self._dialect, unread=self._syntax.unread),
                _Known(),
            )
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
        if (
            index is None
            or index.unread
            or index.syntax_errors
            or before.marks
            or self._syntax.prepared.marks
        ):
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
        found = outline(self.root, self.prepared.text)
        self._read_macros_and_aliases(found)
        bindings: list[tuple[str, str]] = []
        definitions: list[Definition] = []
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
        others = {f.name for f in made if isinstance(f, Kernel)}
        launches = resolve(definitions, others, self.context.macros, self.lines)
        launches += [launch for index in expanded for launch in index.launches]
        functions = [self._function(d, {name for _, name in bindings}) for d in definitions]
        functions = sorted([*functions, *made], key=lambda f: f.start_byte) if made else functions
        errors = sorted((*found.get("error", []), *found.get("missing", [])), key=in_the_text)
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
        scopes = surroundings(use.node)[0]
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
        for callee in captures(body_query(), module).get("callee", []):
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

    def _definition(self, node: Node) -> Definition | None:
        # Behind an unclosed `if (` the parser takes a body for an initialiser.
        body = node.child_by_field_name("body") or initialiser(node)
        if body is None:
            return None
        scopes, member, template, outermost = surroundings(node)
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
        following = nested_definition(body) if body.has_error else None
        if following is not None:
            end = body_end = self._before(following.start_byte)
        scope = signature.scope
        name_range, parameters = self._placed(head, signature, start)
        return Definition(
            signature=signature,
            parameters=parameters,
            name_range=name_range,
            qualified_name="::".join([*scopes, *scope, signature.name]),
            start=start,
            end=end,
            body=(body.start_byte, body_end),
            declarator=(start + signature.declarator_at[0], start + signature.declarator_at[1]),
            kind=signature.kind,
            member=member or bool(scope and is_record(scope[-1], self.root)),
            facts=self._body_facts(body, body_end),
        )

    def _strays(self, heads: list[Node], definitions: list[Definition]) -> list[Definition]:
        """Heads of kernels that the parser could not join with a body, since something is being typed there."""
        result: list[Definition] = []
        names = {d.qualified_name for d in definitions}
        for head in heads:
            declarator = unwrap(head)
            parent = head.parent
            if declarator.name is None or parent is None:
                continue
            before = specifiers_before(head)
            following = next((c for c in parent.children if c.start_byte >= head.end_byte), None)
            if not any(leaf.type == "__global__" for child in before for leaf in leaves(child)) or (
                following is not None and following.type == ";"
            ):
                continue
            scopes, member, template, _ = surroundings(parent)
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
                Definition(
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

    def _signature(
        self, node: Node, declarator: Declarator, template: Node | None, start: int
    ) -> Signature | None:
        return read_signature(node, declarator, template, start, self.context.aliases, self.prepared.marks)

    def _placed(self, head: bytes, signature: Signature, start: int) -> tuple[Range, tuple[Parameter, ...]]:
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

    # ---- bodies

    def _body_facts(self, body: Node, end: int) -> BodyFacts:
        key = self.prepared.text[body.start_byte : end]
        facts = self.known.bodies.get(key) or self.seen.bodies.get(key)
        if facts is None:
            facts = read_body(body, body.start_byte, end)
        self.seen.bodies[key] = facts
        return facts

    def _function(self, definition: Definition, bound: set[str]) -> Function:
        start, end = definition.start, definition.end
        form = form_of(definition, self.dialect, bound)
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

    def _new_function(self, definition: Definition, form: Form | None) -> Function:
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
