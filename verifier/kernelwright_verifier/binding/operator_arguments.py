"""What an Ascend C entry takes besides the task's tensors."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from kernelwright_backends.ascendc.project import Project, read_project
from kernelwright_backends.finding import Range
from kernelwright_backends.kernel import Form, Parameter
from kernelwright_verifier import expression
from kernelwright_verifier.binding.model import BoundArgument, slot_of
from kernelwright_verifier.binding.scope import scalar_value
from kernelwright_verifier.directive import Directive
from kernelwright_verifier.expression import ExpressionError, Shaped, Value

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
    ) -> None:
        self._directive, self._form, self._scope = directive, form, scope
        self._problem, self._expression_problem = problem, expression_problem
        self._project = read_project(Path(path), "") if form == "ascendc" else Project()
        self.has_host = self._project.host is not None
        """the operator's own tiling function says struct and cores"""

    @property
    def is_launcher(self) -> bool:
        """A host function of Ascend C: its directive says `block_dim`."""
        return self._form == "launcher" and self._get("block_dim") is not None

    def _get(self, key: str) -> str | None:
        return self._directive.get(key) if self._directive else None

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
            try:
                value = scalar_value(match["value"], self._scope)
            except ExpressionError as error:
                self._expression_problem("tiling", error)
                return None
            kind = match["type"] or ("float" if isinstance(value, float) else "uint32_t")
            fields.append((" ".join(kind.split()), match["name"]))
            texts.append(match["value"])
        if self.has_host:
            given = {name for _, name in fields}
            for attribute in self._project.attributes:
                text = self._of_task(attribute.name) if attribute.name not in given else None
                if text is not None:
                    fields.append(("float", attribute.name))
                    texts.append(text)
                elif attribute.name not in given and not attribute.has_default:
                    message = (
                        f"nothing gives the operator's attribute '{attribute.name}', which has no default: "
                        f'say tiling="{attribute.name}=..."'
                    )
                    self._problem("BIND_PARAMETER", message, parameter.range)
        slot = slot_of(parameter, "tiling", None).model_copy(update={"fields": tuple(fields)})
        return BoundArgument(slot=slot, role="tiling", source="tiling", texts=tuple(texts))

    def _of_task(self, attribute: str) -> str | None:
        """The task's number of that name, underscores and case aside."""

        def plain(name: str) -> str:
            return name.replace("_", "").lower()

        numbers = [name for name, value in self._scope.items() if isinstance(value, bool | int | float)]
        if attribute in numbers:
            return attribute
        return next((name for name in numbers if plain(name) == plain(attribute)), None)

    def _place(self) -> Range:
        assert self._directive is not None
        return self._directive.place("tiling")
