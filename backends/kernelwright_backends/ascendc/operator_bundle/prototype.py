"""The operator's prototype, section `project_json_src`: what `msopgen` is given."""

import json
import re
from typing import Any

from kernelwright_backends.interfaces.operator_bundle import (
    AttributePrototype,
    BundleError,
    Prototype,
    TensorPrototype,
)

# Element types as msopgen spells them, as torch names them.
_ELEMENTS = {
    "float": "float32", "float32": "float32", "fp32": "float32", "float16": "float16", "fp16": "float16", "half": "float16",
    "bf16": "bfloat16", "bfloat16": "bfloat16", "bool": "bool", "double": "float64", "float64": "float64",
    **{f"{sign}int{width}": f"{sign}int{width}" for sign in ("", "u") for width in (8, 16, 32, 64)},
}  # fmt: skip


def read_prototypes(text: str) -> tuple[Prototype, ...]:
    """Every operator of a prototype file.

    Raises:
        ArtefactError: no JSON, or not of that form; its line counts in the section.
    """
    try:
        # msopgen's own files may hold a byte-order mark.
        raw = json.loads(text.lstrip("\ufeff"))
    except json.JSONDecodeError as error:
        raise BundleError(f"project_json_src is not valid JSON: {error.msg}", error.lineno) from None
    except ValueError:
        raise BundleError(
            "project_json_src is not a prototype, since it holds a number of thousands of digits"
        ) from None
    except RecursionError:
        raise BundleError("project_json_src is not a prototype, since it is nested too deep") from None
    operators = raw if isinstance(raw, list) else [raw]
    made = tuple(_prototype(item) for item in operators)
    if not made:
        raise BundleError(
            "project_json_src names no operator; write one object with op, input_desc and output_desc"
        )
    return made


_CLASS = re.compile(r"\bclass\s+(\w+)(?:\s+final)?\s*:\s*public\s+(?:ops::)?OpDef\b")
_MEMBER = re.compile(r"\b(Input|Output|Attr)\s*\(\s*\"(\w+)\"\s*\)\s*((?:\.\s*\w+\s*\([^()]*\)\s*)*)")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def defined_operators(host: str) -> dict[str, str]:
    """The classes of `host_operator_src` that define operators, each with its text."""
    plain = _COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), host)
    starts = list(_CLASS.finditer(plain))
    ends = [*(m.start() for m in starts[1:]), len(plain)][: len(starts)]
    return {m[1]: plain[m.start() : end] for m, end in zip(starts, ends, strict=True)}


def as_defined(prototype: Prototype, host: str) -> Prototype:
    """The operator as its class defines it, whose text takes the place of what msopgen made of the prototype."""
    text = defined_operators(host).get(prototype.name)
    if text is None:
        return prototype
    members = [(m[1], m[2], "OPTIONAL" in m[3]) for m in _MEMBER.finditer(text)]
    known = {t.name: t.elements for t in (*prototype.inputs, *prototype.outputs)}
    tensors = {
        kind: tuple(TensorPrototype(n, known.get(n, ()), o) for k, n, o in members if k == kind) for kind in ("Input", "Output")
    }  # fmt: skip
    types = {a.name: a.type for a in prototype.attributes}
    attributes = tuple(AttributePrototype(n, types.get(n, ""), not o) for k, n, o in members if k == "Attr")
    if not tensors["Output"]:
        return prototype
    return Prototype(prototype.name, tensors["Input"], tensors["Output"], attributes)


def _prototype(item: Any) -> Prototype:
    name = item.get("op") if isinstance(item, dict) else None
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z]\w*", name):
        raise BundleError('project_json_src: an operator needs "op", its name, such as "AddCustom"')
    inputs, outputs = (_tensors(item, key, name) for key in ("input_desc", "output_desc"))
    if not outputs:
        raise BundleError(f'project_json_src: {name} has no output: "output_desc" lists them')
    attributes = []
    for attribute in _listed(item, "attr", name):
        kind = attribute.get("type", "float")
        kind = kind[0] if isinstance(kind, list) and kind else kind
        required = str(attribute.get("param_type", "required")).lower() == "required"
        attributes.append(AttributePrototype(attribute["name"], str(kind), required))
    return Prototype(name, inputs, outputs, tuple(attributes))


def _tensors(item: Any, key: str, operator: str) -> tuple[TensorPrototype, ...]:
    made = []
    for tensor in _listed(item, key, operator):
        kinds = tensor.get("type", [])
        kinds = kinds if isinstance(kinds, list) else [kinds]
        elements = tuple(_ELEMENTS[k] for k in map(str, kinds) if k in _ELEMENTS)
        optional = str(tensor.get("param_type", "required")).lower() == "optional"
        made.append(TensorPrototype(tensor["name"], elements, optional))
    return tuple(made)


def _listed(item: Any, key: str, operator: str) -> list[dict[str, Any]]:
    found = item.get(key) or []
    if not isinstance(found, list) or not all(
        isinstance(t, dict) and isinstance(t.get("name"), str) for t in found
    ):
        raise BundleError(f'project_json_src: "{key}" of {operator} is a list of objects, each with a "name"')
    return found
