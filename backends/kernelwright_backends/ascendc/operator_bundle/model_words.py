"""Names of Python and PyTorch that a model may use, by what they do with tensors."""

LIBRARY = "custom_ops_lib"
ALLOCATING = {
    "empty", "empty_like", "empty_strided", "zeros", "zeros_like", "ones", "ones_like", "full", "full_like", "tensor", "as_tensor",
    "arange", "linspace",
}  # fmt: skip
PLAIN_TORCH = {
    "device", "Size", "is_tensor", "is_grad_enabled", "no_grad", "inference_mode", "manual_seed", "set_grad_enabled", "finfo", "iinfo",
    "get_default_dtype", "is_floating_point", "numel",
}  # fmt: skip
SAME = {"contiguous", "detach", "clone", "npu", "requires_grad_", "cuda"}
CONVERTING = {
    "float": "float32", "half": "float16", "bfloat16": "bfloat16", "int": "int32", "long": "int64", "bool": "bool", "double": "float64",
}  # fmt: skip
RESHAPING = {
    "view", "reshape", "flatten", "unsqueeze", "squeeze", "expand", "expand_as", "permute", "transpose", "t", "narrow", "view_as",
    "movedim", "swapaxes", "unflatten", "as_strided", "to", "type", "unbind", "split", "chunk", "select", "T", "mT", "data",
    "broadcast_to", "broadcast_tensors", "broadcast_shapes",
}  # fmt: skip
KEEPING = {"view", "reshape", "flatten", "unsqueeze", "squeeze", "view_as", "unflatten", "data"}
TOLD = {
    "size", "stride", "numel", "dim", "ndimension", "is_contiguous", "element_size", "storage_offset", "data_ptr", "get_device", "item",
    "tolist", "is_floating_point", "nelement", "untyped_storage", "type_as",
}  # fmt: skip
TOLD_ATTRIBUTES = {
    "shape", "dtype", "device", "ndim", "is_npu", "is_cuda", "is_cpu", "requires_grad", "layout", "itemsize", "nbytes", "grad",
    "is_contiguous",
}  # fmt: skip
BUILTINS = {
    "min", "max", "abs", "len", "range", "int", "float", "bool", "list", "tuple", "str", "type", "isinstance", "print", "enumerate",
    "zip", "map", "filter", "sorted", "reversed", "hasattr", "getattr", "setattr", "super", "round", "repr", "dict", "set", "any", "all",
    "ValueError", "RuntimeError", "TypeError", "AssertionError", "NotImplementedError", "Exception", "KeyError", "IndexError",
    "issubclass", "callable", "id", "iter", "next", "slice", "divmod", "format", "warn",
}  # fmt: skip
COMPUTING_LIBRARIES = {
    "numpy",
    "scipy",
    "cupy",
    "jax",
    "numba",
    "triton",
    "tensorflow",
    "einops",
    "pandas",
    "torchvision",
}
HARMLESS_OS = {"environ", "path", "getenv", "getcwd"}
TYPES = {"float32", "float64", "float16", "bfloat16", "int8", "uint8", "int16", "int32", "int64", "bool"}
TYPE_NAMES = {
    "half": "float16",
    "float": "float32",
    "double": "float64",
    "int": "int32",
    "long": "int64",
    "short": "int16",
}
