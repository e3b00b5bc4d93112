"""Runs untrusted programs: no network, no home, no secrets, and limits on everything."""

from kernelwright_verifier.sandbox.choice import Attempt, SandboxChoice, attempts, open_confinement
from kernelwright_verifier.sandbox.confinement import ConfinedProcess, Sandbox
from kernelwright_verifier.sandbox.launch import SandboxName, SandboxUnavailable

__all__ = [
    "Attempt",
    "ConfinedProcess",
    "Sandbox",
    "SandboxChoice",
    "SandboxName",
    "SandboxUnavailable",
    "attempts",
    "open_confinement",
]
