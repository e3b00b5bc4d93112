// What extensions of PyTorch's first versions take from its C library for CUDA: checks, and memory of the allocator.
#pragma once

#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/Exceptions.h>
#include <THC/THCDeviceUtils.cuh>

#define THCudaCheck(...) C10_CUDA_CHECK(__VA_ARGS__)
#define THCudaCheckWarn(...) C10_CUDA_CHECK_WARN(__VA_ARGS__)
#define THError(...) TORCH_CHECK(false, ##__VA_ARGS__)
#define THArgCheck(CONDITION, NUMBER, ...) TORCH_CHECK(CONDITION, ##__VA_ARGS__)
#define THAssert(CONDITION) TORCH_CHECK(CONDITION)
#define THAssertMsg(CONDITION, ...) TORCH_CHECK(CONDITION, ##__VA_ARGS__)

inline void* THCudaMalloc(THCState*, std::size_t bytes) { return c10::cuda::CUDACachingAllocator::raw_alloc(bytes); }
inline void THCudaFree(THCState*, void* memory) { c10::cuda::CUDACachingAllocator::raw_delete(memory); }
inline cudaStream_t THCState_getCurrentStream(THCState*) { return c10::cuda::getCurrentCUDAStream(); }
inline cudaDeviceProp* THCState_getCurrentDeviceProperties(THCState*) { return at::cuda::getCurrentDeviceProperties(); }
inline int THCState_getNumDevices(THCState*) { return at::cuda::getNumGPUs(); }
