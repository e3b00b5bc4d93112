"""From a request to the messages for a model. Templates are data files; what fills them is data, never
instructions.
"""

import re
from functools import cache
from pathlib import Path
from string import Template

from kernelwright_backends.core.finding import Finding
from kernelwright_memory.generators.base import GenerationRequest
from kernelwright_memory.generators.llm.secrets import scrubbed
from kernelwright_verifier.results.verdict import GATES, Verdict
from kernelwright_verifier.task.task import Argument, TaskDescription, TensorSpec

Message = dict[str, str]

_FOLDER = Path(__file__).resolve().parent
_DIALECTS = {"cuda": "CUDA C++", "ascendc": "Ascend C"}
_FORMS = {
    "tensor": "a host function that takes torch::Tensor and returns the result (PyTorch extension style)",
    "launcher": "a host function that takes device pointers and sizes and launches the kernel",
    "kernel": "a __global__ function, launched with the grid and block of its directive",
    "ascendc": "an Ascend C kernel with GM_ADDR parameters",
}
_FINDINGS = 8
_TEXT_LIMIT = 12_000


def messages(request: GenerationRequest, *, region: bool) -> list[Message]:
    """The conversation for one step.

    Args:
        region: whether an answer may hold the entry's region alone.
    """
    start = request.start_point if request.stage == "refine" else None
    fields = {
        "entry": request.entry or "forward",
        "chip": f"{request.target.product} ({request.target.architecture})",
        "task": _data("task", request.task_text),
        "form": _FORMS[request.form],
        "signature": _data("signature", _signature(request.description)),
        "file": _data("file", start.text if start else request.text),
        "last": _last(request),
        "experiences": _notes(request),
        "answer": _template("answer_region" if region else "answer_file").template,
        "latency": "",
        "profile": "",
        "children": "",
    }
    if start is not None:
        fields["latency"] = (
            f"{start.latency_us:.2f} us" if start.latency_us is not None else "latency unknown"
        )
        fields["profile"] = _profile(request.last)
        fields["children"] = _children(request)
    system = _template("system").substitute(
        dialect_name=_DIALECTS[request.target.dialect], chip=fields["chip"]
    )
    question = _template(request.stage).substitute(fields)
    return [
        {"role": "system", "content": system},
        # Whatever the user's file holds: a key does not leave the machine in a prompt.
        {"role": "user", "content": scrubbed(question)},
    ]


def label(number: int) -> str:
    """By what a note is called in the prompt; models repeat short labels better than hashes."""
    return f"N{number + 1}"


def _last(request: GenerationRequest) -> str:
    verdict = request.last
    if verdict is None or verdict.feasible is not False:
        return ""
    parts = [f"\nThe last candidate failed. {_reached(verdict)}\n{_data('report', _report(verdict))}\n"]
    shown = request.start_point.text if request.start_point else request.text
    if request.last_text is not None and request.last_text != shown:
        parts.append(f"\nThat candidate:\n{_data('candidate', request.last_text)}\n")
    return "".join(parts)


def _reached(verdict: Verdict) -> str:
    passed = [name for name in GATES if verdict.gate(name).status == "passed"]
    failed = [name for name in GATES if verdict.gate(name).status == "failed"]
    return f"Passed: {', '.join(passed) or 'nothing'}; failed: {', '.join(failed) or 'nothing'}."


def _report(verdict: Verdict) -> str:
    errors = [f for f in verdict.findings if f.severity == "error"]
    lines = [_line(f) for f in (errors or list(verdict.findings))[:_FINDINGS]]
    if len(errors) > _FINDINGS:
        lines.append(f"and {len(errors) - _FINDINGS} more")
    return "\n".join(lines)


def _line(finding: Finding) -> str:
    """Without folders: where a user keeps the file is nobody's business."""
    name = Path(finding.path).name
    pattern = f" (pattern: {finding.data['pattern']})" if finding.data.get("pattern") else ""
    message = finding.message.replace(str(Path(finding.path)), name)
    return f"{name}:{finding.line}:{finding.column} {finding.code} {message}{pattern}"


def _profile(verdict: Verdict | None) -> str:
    if verdict is None or not verdict.feasible:
        return ""
    parts = ", ".join(f"{name} {us:.2f} us" for name, us in verdict.latency_parts.items())
    bound = f"What bounds it: {verdict.bottleneck.replace('_', ' ')}. " if verdict.bottleneck else ""
    source = f"({verdict.latency_source}) " if verdict.latency_source else ""
    if not bound and not parts:
        return ""
    lints = "\n".join(_line(finding) for finding in verdict.lints)
    advice = f"What it wastes, the greatest gain first:\n{_data('lints', lints)}\n" if lints else ""
    return f"\nProfile {source}: {bound}{parts}\n{advice}"


def _children(request: GenerationRequest) -> str:
    if request.start_point is None or not request.start_point.children:
        return ""
    lines = [
        f"- {parameters or 'a variant'}: {f'{latency:.2f} us' if latency is not None else 'not feasible'}"
        for parameters, latency in request.start_point.children[-8:]
    ]
    return "\nVariants of it that were tried already:\n" + "\n".join(lines) + "\n"


def _notes(request: GenerationRequest) -> str:
    if not request.context:
        return ""
    notes = [
        f"{label(number)}. {_one_line(note.title)}\n{_data(f'note {label(number)}', note.text[:_TEXT_LIMIT])}"
        for number, note in enumerate(request.context)
    ]
    return "\nNotes from earlier work; use what helps:\n\n" + "\n\n".join(notes) + "\n"


def _signature(description: TaskDescription) -> str:
    lines = [f"forward: {_argument(a)}" for a in description.forward]
    lines += [f"__init__: {_argument(a)}" for a in description.init]
    lines += [f"parameter: {_tensor(t)}" for t in description.parameters]
    lines += [f"buffer: {_tensor(t)}" for t in description.buffers]
    lines += [f"output: {_tensor(t)}" for t in description.outputs]
    return "\n".join(lines)


def _argument(argument: Argument) -> str:
    return _tensor(argument.tensor) if argument.tensor is not None else f"{argument.name} = {argument.value}"


def _tensor(tensor: TensorSpec) -> str:
    return f"{tensor.name}: {tensor.dtype}{list(tensor.shape)}"


def _data(name: str, text: str) -> str:
    """Text between marks that it cannot contain itself."""
    inside = re.sub(r"<(/?)data", r"<\1 data", text.rstrip("\n"))
    return f"<data {name}>\n{inside}\n</data>"


def _one_line(text: str) -> str:
    return " ".join(text.split())[:200]


@cache
def _template(name: str) -> Template:
    return Template((_FOLDER / f"{name}.md").read_text(encoding="utf-8"))
