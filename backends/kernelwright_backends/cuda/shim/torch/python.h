#pragma once

#include <pybind11/pybind11.h>
#include <torch/types.h>

namespace py = pybind11;

#ifndef TORCH_EXTENSION_NAME
#define TORCH_EXTENSION_NAME kernelwright_extension
#endif
