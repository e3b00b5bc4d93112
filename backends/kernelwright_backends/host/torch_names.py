"""Messages of the compiler about names of PyTorch that our headers do not have."""

import re

_NO_SUCH_TORCH = (
    re.compile(
        r"(class|struct|enum)? ?'?(const )?(at|c10|torch|caffe2|pybind11)::[^']*'? has no member named"
    ),
    re.compile(r"is not a member of '(at|c10|torch|pybind11)(::[^']*)?'"),
    re.compile(r"\b(torch|ATen|c10|pybind11|THC)/\S+: No such file or directory"),
    # An operator or a function that PyTorch's own header has for these types.
    re.compile(r"no match for 'operator[^']*' \(operand types? (are|is) .*'(const )?(at|c10|torch)::"),
    re.compile(r"no matching function for call to '(at|c10|torch)::"),
)


def misses_torch(message: str) -> bool:
    """Is a message of the compiler about a name or a header of PyTorch?"""
    return any(pattern.search(message) for pattern in _NO_SUCH_TORCH)
