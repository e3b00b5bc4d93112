"""What one verification is of and by what means it is made: the same from its first gate to its last."""

from dataclasses import dataclass, field, replace

from kernelwright_backends.core.target import Target
from kernelwright_backends.interfaces.build import BuildResult
from kernelwright_backends.interfaces.confinement import Confinement, Limits
from kernelwright_backends.interfaces.toolchain import Toolchain
from kernelwright_verifier.binding import Binding
from kernelwright_verifier.pipeline.elapsed import Steps
from kernelwright_verifier.pipeline.options import VerifyOptions
from kernelwright_verifier.reference.client import Reference
from kernelwright_verifier.task.plan import Plan


@dataclass(frozen=True)
class VerificationContext:
    """The plan, the user's options, and what builds, runs, confines and compares."""

    plan: Plan
    options: VerifyOptions
    toolchain: Toolchain
    confinement: Confinement
    reference: Reference
    limits: Limits
    """of one run of the candidate"""
    seed: int = 0
    """all trials are drawn from it"""
    steps: Steps = field(default_factory=Steps)
    """what the verification spends its time on"""

    @property
    def target(self) -> Target:
        return self.plan.target

    @property
    def path(self) -> str:
        """Of the candidate, as its findings name it."""
        return str(self.plan.candidate.path)

    def within(self, time_s: float) -> "VerificationContext":
        """The same, with another limit to the seconds that one run may take."""
        return replace(self, limits=self.limits.model_copy(update={"time_s": time_s}))


@dataclass(frozen=True)
class BuiltEntry:
    """An entry bound to its task, and what was built of it."""

    binding: Binding
    built: BuildResult


def limits_of(plan: Plan) -> Limits:
    """The limits that the configuration sets to one run of a candidate."""
    limits = plan.configuration.limits
    return Limits(time_s=limits.time_s, memory_mb=limits.memory_mb)
