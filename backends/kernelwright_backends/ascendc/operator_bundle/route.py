"""Follows the calls from the task's forward through the six sections to the kernel, and reports what is not allowed on the way."""

import ast
import re
from collections.abc import Mapping, Sequence

from kernelwright_backends.ascendc.operator_bundle.binding_following import follow_binding
from kernelwright_backends.ascendc.operator_bundle.binding_hacks import binding_hacks
from kernelwright_backends.ascendc.operator_bundle.bridge import Bridge
from kernelwright_backends.ascendc.operator_bundle.model import follow_model
from kernelwright_backends.ascendc.operator_bundle.prototype import (
    as_defined,
    defined_operators,
    read_prototypes,
)
from kernelwright_backends.ascendc.operator_bundle.values import OperatorCall, Value
from kernelwright_backends.ascendc.syntax import index
from kernelwright_backends.interfaces.operator_bundle import BundleError, Problem, Prototype, Route, Signature
from kernelwright_backends.untrusted.parsing import parse_python

_TILING_HEADER = re.compile(
    r"^[ \t]*#[ \t]*include[ \t]*\"([\w./-]*tiling[\w./-]*\.h(?:pp)?)\"", re.MULTILINE
)


def signature_of(task: str) -> Signature | None:
    """The names of a KernelBench task; None where it has no class Model with a forward."""
    try:
        tree = parse_python(task.lstrip("\ufeff"))
    except SyntaxError:
        return None
    model = next((n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "Model"), None)
    if model is None:
        return None
    functions = {n.name: n for n in model.body if isinstance(n, ast.FunctionDef)}
    if "forward" not in functions:
        return None
    return Signature(
        _names(functions["forward"]), _names(functions["__init__"]) if "__init__" in functions else ()
    )


def _names(function: ast.FunctionDef) -> tuple[str, ...]:
    return tuple(a.arg for a in (*function.args.posonlyargs, *function.args.args))[1:]


def tiling_header(sections: Mapping[str, str], prototype: Prototype) -> str:
    """The file name under which `host_operator_src` includes `host_tiling_src`."""
    match = _TILING_HEADER.search(re.sub(r"\btiling/[\w/]*\.h", "", sections["host_operator_src"]))
    if match and "/" not in match[1]:
        return match[1]
    return f"{prototype.file_name}_tiling.h"


def prototype_of(sections: Mapping[str, str]) -> Prototype:
    """The operator that the bundle is about.

    Raises:
        ArtefactError: `project_json_src` is none, or holds several operators.
    """
    prototypes = read_prototypes(sections["project_json_src"])
    if len(prototypes) > 1:
        names = ", ".join(p.name for p in prototypes)
        raise BundleError(
            f"project_json_src defines {len(prototypes)} operators ({names}); write one bundle for each"
        )
    return as_defined(prototypes[0], _host(sections))


def route_of(sections: Mapping[str, str], task: str | None) -> Route:
    """Follow the sections; `task` is the text of the task, None where there is none.

    Raises:
        ArtefactError: `project_json_src` cannot be read.
    """
    prototype = prototype_of(sections)
    bridge = Bridge(sections["python_bind_src"])
    route = Route(prototype, _entry(sections, prototype))
    mistakes = list(_disagreements(sections, prototype, route.entry))
    hacks = list(binding_hacks(bridge, [prototype.name]))
    if not bridge.registered:
        mistakes.append(
            Problem(
                "python_bind_src",
                "no function is registered for Python (m.def in PYBIND11_MODULE)",
                code="BIND_ENTRY",
            )
        )
    signature = signature_of(task) if task is not None else None
    guessed = signature or _own_signature(sections["model_src"])
    followed = follow_model(sections["model_src"], guessed.forward, guessed.init, tuple(bridge.registered))
    hacks += [p for p in followed.problems if p.code is not None]
    unclear = [p for p in followed.problems if p.code is None]
    calls: list[OperatorCall] = []
    for call in followed.calls:
        if call.name not in bridge.registered:
            offered = ", ".join(bridge.registered) or "nothing"
            mistakes.append(
                _at(
                    call.problem_place,
                    f"custom_ops_lib has no '{call.name}' (python_bind_src registers {offered})",
                    "BIND_ENTRY",
                )
            )
            continue
        made, _, problems = follow_binding(bridge, call.name, call.arguments)
        calls += made
        unclear += problems
        if not made and not problems:
            message = f"{call.name} executes no operator; call EXEC_NPU_CMD(aclnn{prototype.name}, ...)"
            hacks.append(_at(call.problem_place, message, "HACK_NO_KERNEL"))
    own = [c for c in calls if c.operator == prototype.name]
    if len(calls) > 1 and not hacks:
        unclear.append(
            Problem(
                "model_src",
                f"forward executes {len(calls)} operators one after the other; only one can be verified here",
            )
        )
    route.hacks, route.mistakes = tuple(hacks), tuple(mistakes)
    if len(own) == 1 and not mistakes:
        unclear += _passed(route, own[0])
    if signature is None and not unclear:
        route.args = route.tiling = None
    route.unclear = tuple(unclear)
    return route


def _host(sections: Mapping[str, str]) -> str:
    """What the operator is defined in; some write the class into the header."""
    return f"{sections['host_operator_src']}\n{sections['host_tiling_src']}"


def _own_signature(model: str) -> Signature:
    made = signature_of(re.sub(r"\bclass\s+ModelNew\b", "class Model", model))
    return made or Signature((), ())


def _entry(sections: Mapping[str, str], prototype: Prototype) -> str:
    kernels = [k.name for k in index(sections["kernel_src"].encode()).kernels]
    if prototype.file_name in kernels or not kernels:
        return prototype.file_name
    plain = prototype.name.lower()
    return next((k for k in kernels if k.replace("_", "").lower() == plain), kernels[-1])


def _disagreements(sections: Mapping[str, str], prototype: Prototype, entry: str) -> list[Problem]:
    """Where the sections do not speak of the same operator."""
    found = []
    kernels = index(sections["kernel_src"].encode()).kernels
    kernel = next((k for k in kernels if k.name == entry), None)
    if kernel is None:
        found.append(
            Problem("kernel_src", f"there is no kernel; {prototype.name} needs extern \"C\" __global__ __aicore__ void {entry}(...)", code="BIND_ENTRY")
        )  # fmt: skip
    elif kernel.name.replace("_", "").lower() != prototype.name.replace("_", "").lower():
        # Where digits part words nobody agrees: conv2d_custom, conv_2d_custom.
        at = kernel.name_range
        message = f"the kernel of {prototype.name} is called {kernel.name}; the operator's project looks for {prototype.file_name}"
        found.append(
            Problem("kernel_src", message, at.line, at.column, at.end_line, at.end_column, "BIND_ENTRY")
        )
    if kernel is not None:
        pointers = len([p for p in kernel.parameters if p.pointer])
        tensors = len(prototype.inputs) + len(prototype.outputs)
        if pointers != tensors + 2:
            at = kernel.name_range
            message = (
                f"{kernel.name} takes {pointers} pointers; {prototype.name} has {len(prototype.inputs)} inputs and "
                f"{len(prototype.outputs)} outputs, and workspace and tiling follow: {tensors + 2} are due"
            )
            found.append(
                Problem("kernel_src", message, at.line, at.column, at.end_line, at.end_column, "BIND_COUNT")
            )
    host = _host(sections)
    defined = defined_operators(host)
    if prototype.name not in defined:
        named = ", ".join(defined) or "none"
        first = re.search(r"\bclass\b.*\bOpDef\b", sections["host_operator_src"])
        line = sections["host_operator_src"].count("\n", 0, first.start()) + 1 if first else 1
        message = f"host_operator_src defines no class {prototype.name} : public OpDef (found: {named})"
        found.append(Problem("host_operator_src", message, line, 1, line, 2, "BIND_ENTRY"))
    elif not re.search(rf"\bOP_ADD\s*\(\s*{prototype.name}\s*\)", host):
        found.append(
            Problem(
                "host_operator_src",
                f"OP_ADD({prototype.name}) is missing: the operator is not registered",
                code="BIND_ENTRY",
            )
        )
    return found


def _passed(route: Route, call: OperatorCall) -> list[Problem]:
    """`args` and `tiling` of a directive, from what the operator is given: inputs, attributes, outputs."""
    prototype, unclear = route.prototype, []

    def cannot(message: str) -> None:
        unclear.append(
            Problem("python_bind_src", message, call.line, call.column, call.line, call.column + 1)
        )

    due = len(prototype.inputs) + len(prototype.attributes) + len(prototype.outputs)
    if len(call.arguments) != due:
        names = [
            *(t.name for t in prototype.inputs),
            *(a.name for a in prototype.attributes),
            *(t.name for t in prototype.outputs),
        ]
        cannot(
            f"aclnn{prototype.name} takes {due} arguments ({', '.join(names)}), it is given {len(call.arguments)}"
        )
        return unclear
    inputs = call.arguments[: len(prototype.inputs)]
    outputs = call.arguments[len(call.arguments) - len(prototype.outputs) :]
    attributes = call.arguments[len(prototype.inputs) : len(call.arguments) - len(prototype.outputs)]
    listed = []
    for tensor, value in zip(prototype.inputs, inputs, strict=True):
        if value.kind != "tensor":
            what = (
                "nothing (an optional input)"
                if value.kind == "none"
                else value.text or "no tensor of the task"
            )
            cannot(
                f"input '{tensor.name}' of {prototype.name} is {what}; only the task's own tensors can be passed here"
            )
        listed.append(value.text)
    allocated: dict[int, int] = {}
    for tensor, value in zip(prototype.outputs, outputs, strict=True):
        if value.kind != "result" or value.output is None:
            cannot(f"output '{tensor.name}' of {prototype.name} is not a tensor that the binding allocates")
            continue
        place = allocated.setdefault(value.output, len(allocated))
        name = f"out{place}" if len(prototype.outputs) > 1 else "out0"
        listed.append(f"zeros({name})" if value.zeroed else name)
    fields = []
    for attribute, value in zip(prototype.attributes, attributes, strict=True):
        text = _attribute(value)
        if text is None:
            cannot(
                f"attribute '{attribute.name}' of {prototype.name} is {value.text or 'a list'}: only numbers can be passed here"
            )
        else:
            fields.append(f"{'double' if '.' in text else 'int64_t'} {attribute.name}={text}")
    if not unclear:
        route.args = ", ".join(listed)
        route.tiling = ", ".join(fields) or None
    return unclear


def _attribute(value: Value) -> str | None:
    if value.kind == "tensor" and value.text.isidentifier():
        return value.text  # a number among forward's parameters
    return value.text if value.kind == "scalar" and not value.text.endswith(".shape") else None


def _at(place: Problem, message: str, code: str | None) -> Problem:
    return Problem(place.section, message, place.line, place.column, place.end_line, place.end_column, code)


def texts(problems: Sequence[Problem]) -> list[str]:
    """One line each, for people."""
    return [f"{p.section}:{p.line}: {p.message}" for p in problems]
