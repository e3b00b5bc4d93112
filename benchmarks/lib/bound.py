"""A candidate of a task, bound at its full sizes and built: what scripts start from that measure one gate by itself."""

from dataclasses import dataclass

from kernelwright_backends.core.registry import index_of, toolchain_for
from kernelwright_backends.core.target import Target
from kernelwright_backends.interfaces.build import BuildResult
from kernelwright_backends.interfaces.confinement import Confinement
from kernelwright_verifier.binding import Binding, bind
from kernelwright_verifier.gates.compile import build as compile_gate
from kernelwright_verifier.project.config import Configuration
from kernelwright_verifier.reference.client import Reference
from kernelwright_verifier.task.plan import Plan, make_plans
from kernelwright_verifier.task.task import Candidate, TaskDescription


@dataclass(frozen=True, slots=True)
class Bound:
    """The first entry of a candidate, its task at full size, and the binding of the two."""

    plan: Plan
    full: TaskDescription
    binding: Binding

    async def build(self, confinement: Confinement) -> BuildResult:
        target = self.plan.target
        toolchain = toolchain_for(target)
        built, _, _ = await compile_gate.build(self.plan, self.binding.call, toolchain, target, confinement)
        return built


async def bound(candidate: Candidate, target: Target, reference: Reference) -> Bound:
    """Raises TaskError, and BindingFailed where the entry does not fit the task."""
    plan = make_plans(candidate, index_of("cuda", candidate.text), Configuration(), target)[0]
    assert plan.task is not None and plan.entry is not None, f"{candidate.path}: no task or no entry"
    full = await reference.describe(plan.task, "full")
    return Bound(plan, full, bind(plan.entry, plan.directive, full, str(candidate.path), plan.entry_name))
