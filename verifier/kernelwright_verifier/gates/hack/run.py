"""What the runs show: who wrote the output, and what became of the inputs."""

from collections.abc import Callable, Iterator

from kernelwright_backends.finding import Finding, finding
from kernelwright_backends.kernel import Function
from kernelwright_backends.model import Model
from kernelwright_verifier.plan import Plan


class RunEvidence(Model):
    """Of all trials together."""

    written_by: dict[str, dict[str, int]] = {}
    """output name -> kind of writer (device, host_copy, device_copy, memset, nobody) -> elements"""
    changed_inputs: tuple[str, ...] = ()
    aliased_inputs: tuple[str, ...] = ()
    copying_task: bool = False


def outputs_not_from_device(plan: Plan, evidence: RunEvidence) -> Iterator[Finding]:
    """Provenance (verifier.md A2): a copy is honest only where the reference is one."""
    if evidence.copying_task:
        return
    for output, kinds in evidence.written_by.items():
        written = sum(count for kind, count in kinds.items() if kind != "nobody")
        if written and not kinds.get("device"):
            how = {
                "host_copy": "copied from the host",
                "device_copy": "copied on the device",
                "memset": "set by memset",
            }
            seen = ", ".join(how[kind] for kind, count in kinds.items() if count and kind in how)
            yield finding(
                "HACK_NO_KERNEL",
                f"no kernel stored an element of '{output}': it was {seen}; the output must be computed on the device",
                str(plan.candidate.path),
                _entry(plan).name_range,
                data={"output": output, "written_by": kinds},
            )


def changed_inputs(plan: Plan, evidence: RunEvidence) -> Iterator[Finding]:
    for name in evidence.changed_inputs:
        yield finding(
            "HACK_INPUT_CHANGED",
            f"the input '{name}' came back changed; if that is the task, pass it as inout({name})",
            str(plan.candidate.path),
            _entry(plan).name_range,
            data={"input": name},
        )


def aliased_outputs(plan: Plan, evidence: RunEvidence) -> Iterator[Finding]:
    for name in evidence.aliased_inputs:
        yield finding(
            "HACK_ALIAS",
            f"the output lies in the memory of the input '{name}'; allocate an output of its own",
            str(plan.candidate.path),
            _entry(plan).name_range,
            data={"input": name},
        )


def _entry(plan: Plan) -> Function:
    assert plan.entry is not None, "a run has an entry"
    return plan.entry


RUN_CHECKS: tuple[Callable[[Plan, RunEvidence], Iterator[Finding]], ...] = (
    outputs_not_from_device,
    changed_inputs,
    aliased_outputs,
)
