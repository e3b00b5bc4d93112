"""The screen of the task itself (check A3, degenerate tasks): what makes a task prove little, said on the task's own file."""

from collections.abc import Mapping
from typing import Any

from kernelwright_backends.core.finding import Finding, Range, finding
from kernelwright_verifier.reference.trial import Screen
from kernelwright_verifier.task.task import Task


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
                f"{name} is the same for all inputs, so a kernel that stores this constant would pass. Reduce over "
                "another axis, or remove the step that cancels the others",
            )
        case "constant":
            return (
                "TASK_CONSTANT",
                f"{name} changes only with inputs that the task does not generate; widen the range of get_inputs()",
            )
        case "unused":
            return (
                "TASK_UNUSED",
                f"the output does not depend on {name}, so a kernel may ignore it. Remove it from the task, or use it "
                "where nothing cancels it",
            )
        case "axis":
            return (
                "TASK_UNIFORM",
                f"all elements of {name} along axis {weak['axis']} are equal; drop the axis",
            )
        case "saturated":
            return (
                "TASK_UNIFORM",
                f"{min(weak['share'], 0.9999):.2%} of the elements of {name} are {weak['value']:.4g} because the "
                "function saturates; scale the inputs to the range where it varies",
            )
        case "small":
            return (
                "TASK_SMALL",
                f"{name} is nearly zero (rms {weak['size']:.2g}), so an output of zeros passes within the absolute "
                "tolerance; scale the inputs",
            )
        case "rounding":
            return (
                "TASK_SMALL",
                f"{name} (rms {weak['size']:.2g}) is no larger than its own rounding errors, so any result passes; "
                "remove the step that cancels",
            )
        case _:
            return "TASK_SMALL", f"{name} is not finite, so it cannot be compared; change the inputs"
