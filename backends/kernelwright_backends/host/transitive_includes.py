"""Standard headers that CUDA's and PyTorch's headers include transitively and ours do not, since each header costs compile
time: they are included if a text uses a name of theirs."""

import re

_BROUGHT = {
    "cout": "iostream", "cerr": "iostream", "endl": "iostream", "stringstream": "sstream", "ostringstream": "sstream",
    "function": "functional", "hash": "functional", "bind": "functional", "placeholders": "functional", "mem_fn": "functional",
    "ref": "functional", "cref": "functional", "map": "map", "set": "set", "unordered_set": "unordered_set",
    "deque": "deque", "list": "list", "mutex": "mutex", "lock_guard": "mutex", "atomic": "atomic",
    "accumulate": "numeric", "iota": "numeric", "bitset": "bitset", "variant": "variant", "sort": "algorithm",
    "shuffle": "algorithm", "transform": "algorithm", "max_element": "algorithm", "min_element": "algorithm",
    "generate": "algorithm", "setw": "iomanip", "setprecision": "iomanip", "ifstream": "fstream", "ofstream": "fstream",
    "runtime_error": "stdexcept", "invalid_argument": "stdexcept", "numeric_limits": "limits", "unique_ptr": "memory",
    "shared_ptr": "memory", "string": "string", "to_string": "string", "chrono": "chrono", "mt19937": "random",
    "default_random_engine": "random", "thread": "thread", "tuple": "tuple", "optional": "optional", "array": "array",
    "queue": "queue", "priority_queue": "queue", "stack": "stack", "unordered_map": "unordered_map",
}  # fmt: skip
# CUB and Thrust bring the library of the device's own atomics.
_OF_CUDA = re.compile(
    rb"\bcuda::(?:atomic|atomic_ref|thread_scope|thread_scope_\w+|memory_order|memory_order_\w+|atomic_thread_fence)\b"
)
_OF_STD = re.compile(rb"\bstd\s*::\s*(" + "|".join(_BROUGHT).encode() + rb")\b")


def transitive_includes(text: bytes, *, device_atomics: bool = False) -> bytes:
    """The lines that include what a text takes for granted.

    Args:
        device_atomics: also the header of `cuda::atomic`.
    """
    headers = {_BROUGHT[match[1].decode()] for match in _OF_STD.finditer(text)}
    if device_atomics and _OF_CUDA.search(text):
        headers.add("cuda/atomic")
    return "".join(f"#include <{header}>\n" for header in sorted(headers)).encode()
