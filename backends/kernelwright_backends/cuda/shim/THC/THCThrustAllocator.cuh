#pragma once

#include <ATen/cuda/ThrustAllocator.h>
#include <THC/THC.h>

struct THCThrustAllocator : at::cuda::ThrustAllocator {
  explicit THCThrustAllocator(THCState*) {}
};
