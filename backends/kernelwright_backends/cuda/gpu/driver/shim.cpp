// The out-of-line part of our torch/extension.h, for the driver to hold: its headers mark what is the device's too.
#include <cuda_runtime.h>

#include "../../shim/kernelwright/tensor.cpp"
