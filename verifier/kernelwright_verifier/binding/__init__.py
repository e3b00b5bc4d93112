"""Which value of the task goes into which parameter of the entry.

Nothing is guessed beyond the rules written there: what does not fit is a finding at the parameter.
"""

from kernelwright_verifier.binding.binder import bind
from kernelwright_verifier.binding.model import Binding, BindingFailed, BoundArgument
from kernelwright_verifier.binding.scope import launch_value, scalar_value, scope_of, tensors_of

__all__ = [
    "Binding",
    "BindingFailed",
    "BoundArgument",
    "bind",
    "launch_value",
    "scalar_value",
    "scope_of",
    "tensors_of",
]
