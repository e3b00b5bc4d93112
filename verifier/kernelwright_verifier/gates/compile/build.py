"""The compile gate: the entry is bound to its task, and the candidate built."""

from kernelwright_backends.core.finding import Finding, Severity
from kernelwright_backends.core.target import Target
from kernelwright_backends.interfaces.build import BuildResult, CompileOptions, EntryCall
from kernelwright_backends.interfaces.confinement import Confinement
from kernelwright_backends.interfaces.toolchain import Toolchain
from kernelwright_verifier.gates.hack import labelled
from kernelwright_verifier.gates.hack.own import is_own
from kernelwright_verifier.task.plan import Plan


def compile_options(plan: Plan) -> CompileOptions:
    """Flags and include paths of the configuration; the file's own folder is always searched by the compiler."""
    settings = plan.configuration.compile
    return CompileOptions(
        include=settings.include,
        define=settings.define,
        undefine=settings.undefine,
        flags=settings.flags,
        std=settings.std,
    )


async def build(
    plan: Plan, call: EntryCall | None, toolchain: Toolchain, target: Target, confinement: Confinement
) -> tuple[BuildResult, tuple[Finding, ...], tuple[Finding, ...]]:
    """Build the candidate; returns the result, the compile gate's findings and those that belong to the hack gate.

    Raises:
        ConfinementError: nothing here can confine the compiler.
    """
    candidate = plan.candidate
    built = await toolchain.build(
        candidate.text, candidate.path, plan.index, call, target, confinement, compile_options(plan)
    )
    hack = labelled("object", tuple(f for f in built.findings if f.code.startswith("HACK_")))
    if any(f.severity is Severity.ERROR for f in hack) and (built.object is None or not is_own(plan)):
        # A refused operator usually brings errors that only follow from it.
        return built, (), hack
    return built, tuple(f for f in built.findings if not f.code.startswith("HACK_")), hack
