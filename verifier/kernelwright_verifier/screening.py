"""The screen of the task itself (check A3, degenerate tasks): what makes a task prove little, said on the task's own file."""

from collections.abc import Mapping
from typing import Any

from kernelwright_backends.finding import Finding, Range, finding
from kernelwright_verifier.processes.trial import Screen
from kernelwright_verifier.task import Task


def task_findings(task: Task, screen: Screen | None) -> tuple[Finding, ...]:
    """Degenerate and weak tasks, each with what is wrong and a suggestion."""
    return tuple(_finding(task, weak) for weak in screen.weak) if screen is not None else ()


def _finding(task: Task, weak: Mapping[str, Any]) -> Finding:
    code, message = _said(weak)
    at = Range(
        line=weak.get("line", 1),
        column=weak.get("column", 1),
        end_line=weak.get("end_line", 1),
        end_column=weak.get("end_column", 1),
    )
    data = {key: value for key, value in weak.items() if not key.endswith(("line", "column"))}
    return finding(code, message, str(task.path), at, data=data)


def _said(weak: Mapping[str, Any]) -> tuple[str, str]:
    name = weak["name"]
    match weak["what"]:
        case "constant" if weak["everywhere"]:
            return (
                "TASK_CONSTANT",
                f"{name} is the same for all inputs: a kernel that stores this constant would pass; reduce over another axis, or "
                "leave out the step that cancels the others",
            )
        case "constant":
            return (
                "TASK_CONSTANT",
                f"{name} does not change with the task's own inputs, only with others: give get_inputs() a wider range",
            )
        case "unused":
            return (
                "TASK_UNUSED",
                f"{name} has no influence on the output: a kernel may ignore it; leave it out of the task, or use it where "
                "nothing cancels it",
            )
        case "axis":
            return (
                "TASK_UNIFORM",
                f"all elements of {name} along axis {weak['axis']} are equal: one would do; drop the axis",
            )
        case "saturated":
            return (
                "TASK_UNIFORM",
                f"{min(weak['share'], 0.9999):.2%} of the elements of {name} are {weak['value']:.4g}: the function saturates; scale the "
                "inputs to where it changes",
            )
        case "small":
            return (
                "TASK_SMALL",
                f"{name} is nearly nought (rms {weak['size']:.2g}): zeros pass where the tolerance is absolute; scale the inputs",
            )
        case "rounding":
            return (
                "TASK_SMALL",
                f"{name} (rms {weak['size']:.2g}) is of the size of its own rounding errors: nothing can be told from it; leave "
                "out the step that cancels",
            )
        case _:
            return "TASK_SMALL", f"{name} is not finite: there is no number to compare; change the inputs"
