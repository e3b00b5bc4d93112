// A device that is this process's own memory: what the headers need of a runtime, and no checks.
#include <cstdlib>
#include <cstring>
#include <torch/extension.h>

static void* current_stream = nullptr;
static int live_allocations = 0;

extern "C" {

int live_device_allocations() { return live_allocations; }

void* kw_malloc(std::size_t bytes) {
  void* data = nullptr;
  if (posix_memalign(&data, 256, bytes)) std::abort();
  std::memset(data, 0xab, bytes);
  ++live_allocations;
  return data;
}
void kw_free(void* data) {
  --live_allocations;
  std::free(data);
}
void kw_memset(void* data, int byte, std::size_t bytes) { std::memset(data, byte, bytes); }
void kw_memcpy(void* to, const void* from, std::size_t bytes) { std::memmove(to, from, bytes); }
void kw_read(void* host, const void* device, std::size_t bytes) { std::memcpy(host, device, bytes); }
void kw_write(void* device, const void* host, std::size_t bytes) { std::memcpy(device, host, bytes); }
void kw_fill(void* data, const void* pattern, std::size_t pattern_bytes, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(static_cast<char*>(data) + i * pattern_bytes, pattern, pattern_bytes);
  }
}
void kw_copy_elements(const kw_tensor* to, const kw_tensor* from) {
  const auto on_the_host = [](const kw_tensor& x) {
    const auto dim = static_cast<std::size_t>(x.dim);
    return at::from_blob(x.data, at::IntArrayRef(x.size, dim), at::IntArrayRef(x.stride, dim),
                         static_cast<at::ScalarType>(x.dtype));
  };
  on_the_host(*to).copy_(on_the_host(*from));
}
void* kw_current_stream(void) { return current_stream; }
void kw_set_current_stream(void* stream) { current_stream = stream; }
int kw_device_count(void) { return 1; }
void kw_atomic_access(const void*, std::size_t, const void*) {}

cudaError_t cudaGetLastError() { return cudaSuccess; }
const char* cudaGetErrorString(cudaError_t error) { return error == cudaSuccess ? "no error" : "an error"; }
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int) { return cudaSuccess; }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  properties->multiProcessorCount = 132;
  return cudaSuccess;
}

}  // extern "C"
