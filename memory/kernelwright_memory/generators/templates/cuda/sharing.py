"""Launches of one kernel: where a network repeats a layer, its kernels are written once; what two launches compute alike is
computed once."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from kernelwright_memory.generators.templates.cuda.emit import Argument, KernelText
from kernelwright_memory.generators.templates.graph.graph import Buffer


def shared(kernels: Sequence[KernelText]) -> list[KernelText]:
    """The launches, each with the name and body of the first kernel that differs from its own in parameter names only.

    Parameters keep what each launch gives for them. Those of a kernel of several launches have names that suit all of them.
    """
    groups: dict[object, list[int]] = {}
    for place, kernel in enumerate(kernels):
        groups.setdefault(_shape(kernel), []).append(place)
    result = list(kernels)
    for places in groups.values():
        if len(places) < 2:
            continue
        first = kernels[places[0]]
        names = _names([kernels[p] for p in places])
        body = _renamed(first.body, dict(zip((a.name for a in first.parameters), names, strict=True)))
        for place in places:
            parameters = tuple(
                replace(a, name=n) for a, n in zip(kernels[place].parameters, names, strict=True)
            )
            result[place] = replace(kernels[place], name=first.name, body=body, parameters=parameters)
    return result


def _shape(kernel: KernelText) -> object:
    """What two kernels have in common that are one but for the names of their parameters."""
    places = {a.name: f"@{n}" for n, a in enumerate(kernel.parameters)}
    types = tuple((a.type, a.scalar) for a in kernel.parameters)
    return (
        _renamed(kernel.body, places),
        types,
        kernel.bounds,
        kernel.functions,
        kernel.block,
        kernel.dynamic_bytes,
    )


def _renamed(body: str, names: dict[str, str]) -> str:
    """The body with other names of parameters; a variable that is called after one (`x_value`) is called after it still."""

    def renamed(match: re.Match[str]) -> str:
        word = match[0]
        if word in names:
            return names[word]
        after = max((n for n in names if word.startswith(f"{n}_")), key=len, default=None)
        return names[after] + word[len(after) :] if after is not None else word

    return re.sub(r"(?<![\w.])[A-Za-z_]\w*", renamed, body)


def _names(kernels: Sequence[KernelText]) -> list[str]:
    """Names for the parameters of a kernel of several launches: of a weight the end of its name, else what it is there for."""
    first = kernels[0]
    own = {a.name for a in first.parameters}
    after = tuple(f"{name}_" for name in own)
    taken = {m for m in re.findall(r"[A-Za-z_]\w*", first.body) if m not in own and not m.startswith(after)}
    names: list[str] = []
    for place in range(len(first.parameters)):
        wanted = _wanted([k.parameters[place] for k in kernels])
        name, counter = wanted, 2
        while any(word == name or word.startswith(f"{name}_") for word in taken):
            name, counter = f"{wanted}{counter}", counter + 1
        taken.add(name)
        names.append(name)
    return names


def _wanted(arguments: Sequence[Argument]) -> str:
    if arguments[0].buffer is None or len({a.name for a in arguments}) == 1:
        return arguments[0].name
    ends = {
        a.buffer.name.rsplit(".", 1)[-1] for a in arguments if a.buffer is not None and "." in a.buffer.name
    }
    if len(ends) == 1 and all(a.buffer is not None and "." in a.buffer.name for a in arguments):
        return ends.pop()
    return "output" if arguments[0].written else "input"


def without_repeats(kernels: Sequence[KernelText], kept: Sequence[Buffer]) -> list[KernelText]:
    """The launches without those that compute again, from the same values, what an earlier one did into memory of its own.

    Args:
        kept: buffers that must be written, such as the outputs.
    """
    writers = Counter(a.buffer for k in kernels for a in k.parameters if a.written and a.buffer is not None)
    known: dict[object, KernelText] = {}
    instead: dict[Buffer, Buffer] = {}
    result: list[KernelText] = []
    for kernel in kernels:
        parameters = tuple(
            replace(a, buffer=instead[a.buffer]) if a.buffer in instead else a for a in kernel.parameters
        )
        kernel = replace(kernel, parameters=parameters)
        written = [a.buffer for a in parameters if a.written and a.buffer is not None]
        given = tuple((a.buffer, a.size, a.scalar) for a in parameters if not a.written)
        key = kernel.name, given, kernel.grid, kernel.shared, kernel.rounds
        if any(writers[b] > 1 or b in kept for b in written):
            result.append(kernel)
        elif key in known:
            before = [a.buffer for a in known[key].parameters if a.written and a.buffer is not None]
            instead.update(zip(written, before, strict=True))
        else:
            known[key] = kernel
            result.append(kernel)
    return result
