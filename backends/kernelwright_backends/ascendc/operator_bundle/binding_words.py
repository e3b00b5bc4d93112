"""Names of PyTorch's C++ interface that a binding may use, by what they do with tensors."""

ALLOCATING = {
    "empty", "empty_like", "empty_strided", "zeros", "zeros_like", "ones", "ones_like", "full", "full_like", "new_empty",
    "new_zeros", "new_ones", "new_full", "apply_tensor", "apply_tensor_without_format", "apply_tensor_with_format",
}  # fmt: skip
SAME = {"contiguous", "detach", "value", "clone", "alias", "variable_data", "toType", "npu"}
RESHAPING = {
    "view", "reshape", "flatten", "unsqueeze", "squeeze", "expand", "expand_as", "permute", "transpose", "t", "narrow", "slice",
    "select", "view_as", "movedim", "swapaxes", "unflatten", "as_strided", "to",
}  # fmt: skip
# Of a contiguous tensor, what leaves its bytes as they are.
KEEPING = {"view", "reshape", "flatten", "unsqueeze", "squeeze", "view_as", "unflatten"}
TOLD = {
    "size", "sizes", "dim", "ndimension", "numel", "options", "scalar_type", "dtype", "device", "stride", "strides", "is_contiguous",
    "defined", "has_value", "element_size", "nbytes", "storage_offset", "layout", "type", "is_privateuseone", "is_npu", "is_cuda",
    "is_cpu", "is_floating_point", "requires_grad", "sym_sizes", "itemsize", "get_device", "suggest_memory_format", "use_count",
    "is_same", "item", "data_ptr", "const_data_ptr", "mutable_data_ptr", "equals", "is_sparse", "is_complex", "value_or",
    "is_non_overlapping_and_dense", "unsafeGetTensorImpl", "toString", "sym_numel", "sym_size", "set_requires_grad",
}  # fmt: skip
FILLING = {"zero_": True, "fill_": False, "resize_": False}
# Of at:: and torch::, what says how a tensor is, and no more.
DESCRIBING = {
    "TensorOptions", "device", "dtype", "layout", "IntArrayRef", "ArrayRef", "OptionalTensorRef", "optional", "nullopt", "Device",
    "DeviceType", "infer_size", "clone", "str", "Scalar", "toString", "typeMetaToScalarType", "isFloatingType", "isIntegralType", "elementSize",
    "maybe_wrap_dim", "SymInt", "SmallVector", "DimVector", "OptionalDeviceGuard", "DeviceGuard", "NoGradGuard", "AutoGradMode",
    "AutoNonVariableTypeMode", "AutoDispatchBelowADInplaceOrView", "requires_grad", "memory_format",
}  # fmt: skip
TORCH = ("at", "torch", "c10", "at_npu", "at_tensor", "aten")
SCALARS = {"Scalar", "Half", "BFloat16"}
ZEROING = {"zeros", "zeros_like", "new_zeros"}
