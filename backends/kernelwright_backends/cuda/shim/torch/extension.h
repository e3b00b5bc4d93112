// PyTorch's header for extensions, as far as a kernel's host code needs it: allocate, look, launch. Written for
// Kernelwright from the public interface; nothing here computes.
#pragma once

#include <kernelwright/tensor.h>
#include <torch/autograd.h>
#include <torch/library.h>
#include <torch/python.h>
#include <torch/serialize.h>
#include <torch/types.h>
