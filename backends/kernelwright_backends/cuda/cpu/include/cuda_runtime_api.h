// The host's side of CUDA that launchers use: memory, streams, events, errors, attributes. Everything is executed at
// once and in order.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "driver_types.h"
#include "kernelwright/device.h"

extern "C" {

// ---- memory
cudaError_t cudaMalloc(void** pointer, size_t size);
cudaError_t cudaMallocManaged(void** pointer, size_t size, unsigned flags = cudaMemAttachGlobal);
cudaError_t cudaMallocHost(void** pointer, size_t size, unsigned flags = 0);
cudaError_t cudaHostAlloc(void** pointer, size_t size, unsigned flags);
cudaError_t cudaMallocAsync(void** pointer, size_t size, cudaStream_t stream);
cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height);
cudaError_t cudaFree(void* pointer);
cudaError_t cudaFreeHost(void* pointer);
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream);
cudaError_t cudaHostRegister(void* pointer, size_t size, unsigned flags);
cudaError_t cudaHostUnregister(void* pointer);
cudaError_t cudaMemcpy(void* to, const void* from, size_t size, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t size, cudaMemcpyKind kind, cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream = nullptr);
cudaError_t cudaMemset(void* pointer, int value, size_t size);
cudaError_t cudaMemsetAsync(void* pointer, int value, size_t size, cudaStream_t stream = nullptr);
cudaError_t cudaMemset2D(void* pointer, size_t pitch, int value, size_t width, size_t height);
cudaError_t cudaMemGetInfo(size_t* free, size_t* total);
cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t size, int device, cudaStream_t stream = nullptr);
cudaError_t cudaMemAdvise(const void* pointer, size_t size, cudaMemoryAdvise advice, int device);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer);
// The same with the place that asks: what the templates below call.
enum { KW_MANAGED = 1, KW_PINNED = 2 };
void kw_symbol_address(const void* symbol);  // the host has asked where it lies
cudaError_t kw_allocate(void** pointer, size_t size, int host, const void* site);
cudaError_t kw_copy_to_symbol(const void* symbol, size_t symbol_size, const void* from, size_t size, size_t offset,
                              const void* site);
cudaError_t kw_copy_from_symbol(void* to, const void* symbol, size_t symbol_size, size_t size, size_t offset,
                                const void* site);

// ---- streams and events
cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end);

// ---- device and errors
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char* cudaGetErrorString(cudaError_t error);
const char* cudaGetErrorName(cudaError_t error);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaThreadSynchronize();
cudaError_t cudaDeviceReset();
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config);
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit);
cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaRuntimeGetVersion(int* version);
cudaError_t kw_function_attribute(const void* function, cudaFuncAttribute attribute, int value);
cudaError_t kw_function_attributes(cudaFuncAttributes* attributes, const void* function);
cudaError_t kw_active_blocks(int* blocks, const void* function, int block_size, size_t shared_bytes);
}

// ---- templates over what they are given; never inlined where a finding may name their caller's line

template <class T>
KW_OUT_OF_LINE cudaError_t cudaMalloc(T** pointer, size_t size) {
  return kw_allocate((void**)(void*)pointer, size, 0, __builtin_return_address(0));
}
template <class T>
KW_OUT_OF_LINE cudaError_t cudaMallocManaged(T** pointer, size_t size, unsigned = cudaMemAttachGlobal) {
  return kw_allocate((void**)(void*)pointer, size, KW_MANAGED, __builtin_return_address(0));
}
template <class T>
KW_OUT_OF_LINE cudaError_t cudaMallocHost(T** pointer, size_t size, unsigned = 0) {
  return kw_allocate((void**)(void*)pointer, size, KW_PINNED, __builtin_return_address(0));
}
template <class T>
KW_OUT_OF_LINE cudaError_t cudaHostAlloc(T** pointer, size_t size, unsigned) {
  return kw_allocate((void**)(void*)pointer, size, KW_PINNED, __builtin_return_address(0));
}
template <class T>
KW_OUT_OF_LINE cudaError_t cudaMallocAsync(T** pointer, size_t size, cudaStream_t) {
  return kw_allocate((void**)(void*)pointer, size, 0, __builtin_return_address(0));
}
template <class T>
KW_OUT_OF_LINE cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t size, size_t offset = 0,
                                              cudaMemcpyKind = cudaMemcpyHostToDevice) {
  return kw_copy_to_symbol(&symbol, sizeof(T), from, size, offset, __builtin_return_address(0));
}
template <class T>
KW_OUT_OF_LINE cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t size, size_t offset = 0,
                                                   cudaMemcpyKind = cudaMemcpyHostToDevice, cudaStream_t = nullptr) {
  return kw_copy_to_symbol(&symbol, sizeof(T), from, size, offset, __builtin_return_address(0));
}
template <class T>
KW_OUT_OF_LINE cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t size, size_t offset = 0,
                                                cudaMemcpyKind = cudaMemcpyDeviceToHost) {
  return kw_copy_from_symbol(to, &symbol, sizeof(T), size, offset, __builtin_return_address(0));
}
template <class T>
inline cudaError_t cudaGetSymbolAddress(void** pointer, const T& symbol) {
  *pointer = (void*)&symbol;
  kw_symbol_address(&symbol);
  return cudaSuccess;
}
template <class T>
inline cudaError_t cudaGetSymbolSize(size_t* size, const T&) {
  *size = sizeof(T);
  return cudaSuccess;
}
template <class Function>
inline cudaError_t cudaFuncSetAttribute(Function* function, cudaFuncAttribute attribute, int value) {
  return kw_function_attribute((const void*)function, attribute, value);
}
template <class Function>
inline cudaError_t cudaFuncSetCacheConfig(Function*, cudaFuncCache) {
  return cudaSuccess;
}
template <class Function>
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, Function* function) {
  return kw_function_attributes(attributes, (const void*)function);
}
template <class Function>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Function* function, int block_size,
                                                                 size_t shared_bytes) {
  return kw_active_blocks(blocks, (const void*)function, block_size, shared_bytes);
}
template <class Function>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid_size, int* block_size, Function* function,
                                                      size_t shared_bytes = 0, int limit = 0) {
  *block_size = limit > 0 && limit < 1024 ? limit : 1024;
  int blocks = 0, processors = 0;
  cudaError_t error = kw_active_blocks(&blocks, (const void*)function, *block_size, shared_bytes);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
  *grid_size = blocks * processors;
  return error;
}

namespace kw {

// cudaLaunchKernel passes the addresses of the arguments: each is read as the kernel's parameter.
template <class... Parameters, size_t... I>
inline cudaError_t launch_pointers(const kw_launch_config& config, void (*kernel)(Parameters...), void** arguments,
                                   std::index_sequence<I...>) {
  launch(config, kernel)(*static_cast<std::decay_t<Parameters>*>(arguments[I])...);
  return cudaPeekAtLastError();
}

}  // namespace kw

// All blocks are resident, or the launch is refused: the grid may synchronise.
template <class... Parameters>
KW_OUT_OF_LINE cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block,
                                                       void** arguments, size_t shared_bytes = 0,
                                                       cudaStream_t stream = nullptr) {
  auto config = kw::configuration("cudaLaunchCooperativeKernel", grid, block, shared_bytes, stream);
  config.site = __builtin_return_address(0);
  config.cooperative = 1;
  return kw::launch_pointers(config, kernel, arguments, std::index_sequence_for<Parameters...>{});
}
template <class... Parameters>
inline cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void** arguments,
                                    size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
  return kw::launch_pointers(kw::configuration("cudaLaunchKernel", grid, block, shared_bytes, stream), kernel, arguments,
                             std::index_sequence_for<Parameters...>{});
}
