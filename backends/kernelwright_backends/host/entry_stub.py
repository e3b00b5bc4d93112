"""The generated end of a translation unit, which calls the entry: how messages about it are told from others.

Every argument stands on a line of its own, so that what the compiler says of line N is said of parameter N - 2.
"""

STUB_PATH = "kernelwright-entry"
FIRST_ARGUMENT_LINE = 3
