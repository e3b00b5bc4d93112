// The driver interface is not executed; its header is included by habit, and for what its errors are called.
#pragma once

#ifndef CUDA_VERSION
#define CUDA_VERSION 12080
#endif

#include "driver_types.h"

// The runtime's numbers are the driver's.
enum CUresult {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_DEINITIALIZED = 4,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_INVALID_HANDLE = 400,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
  CUDA_ERROR_LAUNCH_TIMEOUT = 702,
  CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_NOT_PERMITTED = 800,
  CUDA_ERROR_NOT_SUPPORTED = 801,
  CUDA_ERROR_UNKNOWN = 999
};
extern "C" const char* cudaGetErrorString(cudaError_t error);
extern "C" const char* cudaGetErrorName(cudaError_t error);
inline CUresult cuGetErrorString(CUresult error, const char** text) {
  *text = cudaGetErrorString((cudaError_t)error);
  return CUDA_SUCCESS;
}
inline CUresult cuGetErrorName(CUresult error, const char** text) {
  *text = cudaGetErrorName((cudaError_t)error);
  return CUDA_SUCCESS;
}
