"""Operator bundles and the projects that they are written to, as `OperatorBundles` has them."""

from kernelwright_backends.ascendc.operator_bundle.folder import layout, read_folder, write_folder
from kernelwright_backends.ascendc.operator_bundle.route import route_of, signature_of
from kernelwright_backends.ascendc.operator_bundle.rules import findings_around
from kernelwright_backends.ascendc.operator_bundle.sections import read_bundle

__all__ = [
    "findings_around",
    "layout",
    "read_bundle",
    "read_folder",
    "route_of",
    "signature_of",
    "write_folder",
]
