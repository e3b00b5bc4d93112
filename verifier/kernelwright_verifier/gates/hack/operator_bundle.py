"""The rules for operator bundles, whose kernel is one section of several: the dialect reads the others."""

from collections.abc import Iterator

from kernelwright_backends.core.finding import Finding
from kernelwright_backends.core.registry import support_of
from kernelwright_verifier.task.plan import Plan


def bundle_rules(plan: Plan) -> Iterator[Finding]:
    """Findings in the sections around a kernel of an imported bundle, each in its file."""
    bundles = support_of(plan.index.dialect).operator_bundles
    if bundles is not None:
        yield from bundles.findings_around(plan.candidate.path)
