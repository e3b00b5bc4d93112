"""What an Ascend C entry takes besides the task's tensors."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from kernelwright_backends.core.finding import Range
from kernelwright_backends.core.kernel import ELEMENT_TYPES, Form, Parameter
from kernelwright_backends.core.registry import support_of
from kernelwright_backends.interfaces.operator_project import OperatorAttribute, Port, Project
from kernelwright_verifier.binding.model import BoundArgument, slot_of
from kernelwright_verifier.binding.scope import scalar_value
from kernelwright_verifier.task import expression
from kernelwright_verifier.task.directive import Directive
from kernelwright_verifier.task.expression import ExpressionError, Shaped, Value

_CORE_COUNTS = (
    "blockDim",
    "block_dim",
    "numBlocks",
    "num_blocks",
    "blockNum",
    "block_num",
    "coreNum",
    "core_num",
)
_FIELD = re.compile(
    r"\s*(?:(?P<type>[A-Za-z_][\w: ]*?)\s+)?(?P<name>[A-Za-z_]\w*)\s*=\s*(?P<value>.+?)\s*", re.DOTALL
)

_ITEM = "float[]"  # the type of a field that is one element of an attribute's list


def _element(kind: str) -> str | None:
    return "bfloat16" if kind == "bfloat16_t" else ELEMENT_TYPES.get(kind)


class OperatorArguments:
    """Of one Ascend C entry: workspace, tiling struct, stream, number of cores.

    They are never listed in `args`, unless it lists all parameters: the directive's `tiling=` and `block_dim=` say them.
    """

    def __init__(
        self,
        directive: Directive | None,
        form: Form,
        scope: Mapping[str, Value | Shaped],
        problem: Callable[[str, str, Range], None],
        expression_problem: Callable[[str, ExpressionError], None],
        path: str,
        words: Mapping[str, str],
    ) -> None:
        projects = support_of(form).operator_projects if form == "ascendc" else None
        self._directive, self._form, self._scope, self._words = directive, form, scope, words
        self._problem, self._expression_problem = problem, expression_problem
        self._project = projects.read_project(Path(path), "") if projects is not None else Project()
        self.has_host = self._project.host is not None
        """the operator's own tiling function says struct and cores"""
        self.ports: tuple[Port, ...] = self._project.ports
        """the tensors of the operator's definition, where there is one"""

    @property
    def is_launcher(self) -> bool:
        """A host function of Ascend C: its directive says `block_dim`."""
        return self._form == "launcher" and self._get("block_dim") is not None

    def _get(self, key: str) -> str | None:
        return self._directive.get(key) if self._directive else None

    def element_of(self, port: str, first: str) -> str | None:
        """The element type that the operator's definition gives a port where its first input is of type `first`, as torch names
        them; None where it says none."""
        types = next((p.types for p in self.ports if p.name.lower() == port.lower()), ())
        if not types:
            return None
        firsts = [_element(kind) for kind in self.ports[0].types]
        at = firsts.index(first) if first in firsts else 0
        return _element(types[at] if at < len(types) else types[0])

    def given(self, parameters: list[Parameter], args: str | None) -> dict[str, BoundArgument]:
        """Those of `parameters` that need not be listed."""
        if self._form != "ascendc" and not self.is_launcher:
            return {}
        made = {p.name: b for p in parameters if p.name and (b := self._one(p)) is not None}
        if args is None:
            return made
        try:
            listed = len(expression.parse_list(args)) if args.strip() else 0
        except ExpressionError:
            return {}
        # `args` may list a workspace; a struct, a stream and the number of cores it cannot.
        if listed + len(made) > len(parameters):
            surplus = listed + len(made) - len(parameters)
            for name in [n for n, b in made.items() if b.role in ("workspace", "scalar")][:surplus]:
                del made[name]
        return made

    def _one(self, parameter: Parameter) -> BoundArgument | None:
        if parameter.pointer and parameter.name.lower() in ("workspace", "usrworkspace", "ws", "workspacegm"):
            return BoundArgument(
                slot=slot_of(parameter, "workspace", None), role="workspace", source="workspace(0)", text="0"
            )
        if parameter.stream or (
            parameter.pointer and parameter.element == "void" and parameter.name == "stream"
        ):
            return BoundArgument(slot=slot_of(parameter, "stream", None), role="stream")
        struct = not parameter.pointer and not parameter.tensor and parameter.element is None
        if (self._get("tiling") is not None or self.has_host) and (
            struct or (parameter.pointer and parameter.name.lower().startswith("tiling"))
        ):
            return self._tiling(parameter)
        if self.is_launcher and parameter.name in _CORE_COUNTS and not parameter.pointer:
            text = self._get("block_dim") or "1"
            return BoundArgument(
                slot=slot_of(parameter, "scalar", parameter.element), role="scalar", source=text, text=text
            )
        if parameter.pointer and parameter.name.lower().startswith("tiling"):
            return BoundArgument(
                slot=slot_of(parameter, "workspace", None), role="workspace", source="no tiling", text="0"
            )
        return None

    def _tiling(self, parameter: Parameter) -> BoundArgument | None:
        """`tiling="uint32_t total=x.numel(), eps=1e-5"`: the type is uint32_t or float where it is not said."""
        fields: list[tuple[str, str]] = []
        texts: list[str] = []
        for part in expression.split_list(self._get("tiling") or ""):
            match = _FIELD.fullmatch(part)
            if match is None:
                message = f"tiling: '{part}' is not [TYPE] NAME=VALUE, such as uint32_t total=x.numel()"
                self._problem("BIND_EXPRESSION", message, self._place())
                return None
            inner = match["value"]
            if self.has_host and inner.startswith("(") and inner.endswith(")"):
                items = expression.split_list(inner[1:-1])
                fields += [(_ITEM, match["name"])] * len(items)
                texts += items
                continue
            try:
                value = scalar_value(match["value"], self._scope)
            except ExpressionError as error:
                self._expression_problem("tiling", error)
                return None
            kind = match["type"] or ("float" if isinstance(value, float) else "uint32_t")
            fields.append((" ".join(kind.split()), match["name"]))
            texts.append(match["value"])
        words: list[tuple[str, str]] = []
        if self.has_host:
            given = {name for _, name in fields}
            for attribute in self._project.attributes:
                if attribute.name in given or self._attribute(attribute, fields, texts, words):
                    continue
                if not attribute.has_default:
                    message = (
                        f"the operator's attribute '{attribute.name}' has no value and no default; set it with "
                        f'tiling="{attribute.name}=..."'
                    )
                    self._problem("BIND_PARAMETER", message, parameter.range)
        changes = {"fields": tuple(fields), "words": tuple(words)}
        slot = slot_of(parameter, "tiling", None).model_copy(update=changes)
        return BoundArgument(slot=slot, role="tiling", source="tiling", texts=tuple(texts))

    def _attribute(
        self,
        attribute: OperatorAttribute,
        fields: list[tuple[str, str]],
        texts: list[str],
        words: list[tuple[str, str]],
    ) -> bool:
        """Adds what the task gives of this name; False where it gives nothing of that kind."""
        if attribute.kind == "String":
            said = self._of_task(attribute.name, list(self._words))
            if said is not None:
                words.append((attribute.name, self._words[said]))
            return said is not None
        listed = attribute.kind.startswith("List")
        kinds = bool | int | float
        names = [
            n for n, v in self._scope.items() if isinstance(v, kinds) or (listed and isinstance(v, tuple))
        ]
        name = self._of_task(attribute.name, names)
        if name is None:
            return False
        value = self._scope[name]
        items = [f"{name}[{i}]" for i in range(len(value))] if isinstance(value, tuple) else [name]
        fields += [(_ITEM if listed else "float", attribute.name)] * len(items)
        texts += items
        return True

    def with_shared(self, bound: list[BoundArgument]) -> list[BoundArgument]:
        """An output with the name of an input is that input, changed in place: both parameters are given one address."""
        tensors = [position for position, one in enumerate(bound) if one.slot.kind in ("tensor", "number")]
        if len(tensors) != len(self.ports):
            return bound
        made = list(bound)
        inputs = {p.name: at for p, at in zip(self.ports, tensors, strict=True) if p.is_input}
        for port, at in zip(self.ports, tensors, strict=True):
            given = inputs.get(port.name)
            if port.is_input or given is None or made[given].members or made[given].role == "inout":
                continue
            made[given] = made[given].model_copy(update={"role": "inout", "output": made[at].output})
            changes = {"kind": "alias", "same_as": made[given].slot.name}
            slot = made[at].slot.model_copy(update=changes)
            made[at] = BoundArgument(slot=slot, role="alias", source=made[given].source)
        return made

    def with_zeroed(self, bound: list[BoundArgument]) -> list[BoundArgument]:
        """Outputs for which the operator's definition says InitValue(0) are zero when the kernel starts: the framework fills them."""
        ports = iter(self._project.ports)
        port: Port | None = None
        made = []
        for argument in bound:
            if argument.slot.kind not in ("tensor", "alias", "number"):
                port = None
            elif not argument.slot.member:
                port = next(ports, None)
            filled = port is not None and port.zeroed and argument.role == "output"
            made.append(argument.model_copy(update={"role": "zeroed"}) if filled else argument)
        return made

    @staticmethod
    def _of_task(attribute: str, names: Sequence[str]) -> str | None:
        """The one of the task's names that is the attribute's, underscores and case aside."""

        def plain(name: str) -> str:
            return name.replace("_", "").lower()

        if attribute in names:
            return attribute
        return next((name for name in names if plain(name) == plain(attribute)), None)

    def _place(self) -> Range:
        assert self._directive is not None
        return self._directive.place("tiling")
