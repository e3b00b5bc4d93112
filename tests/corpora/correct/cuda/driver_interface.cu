// What programs ask of the driver interface beside modules; and DPX, whose sums wrap before they are compared.
#include <cuda.h>
#include <cstring>
#include "../../check.cuh"

__global__ void dpx(int* out) {
  int i = threadIdx.x;
  bool first;
  if (i == 0) out[0] = __viaddmax_s32(2147483647, 1, -5);
  if (i == 1) out[1] = __viaddmin_s32(3, 4, 9);
  if (i == 2) out[2] = __vimax3_s32(-1, 7, 3);
  if (i == 3) out[3] = (int)__vimin3_s16x2(0x00058000u, 0x00030001u, 0x00047fffu);
  if (i == 4) out[4] = __viaddmax_s32_relu(-9, 4, -3);
  if (i == 5) out[5] = (int)__viaddmax_u16x2(0xffff0001u, 0x00010002u, 0x00030001u);
  if (i == 6) out[6] = __vibmax_s32(4, 9, &first) * 10 + first;
  unsigned less = 5, both = 5;
  asm("set.lt.u32.u64 %0, %1, %2;" : "=r"(less) : "l"(3ull), "l"(1ull << 40));
  asm("{ .reg .pred p; setp.eq.u32 p, %1, %1; set.lt.and.u32.s32 %0, %2, %1, p; }" : "=r"(both) : "r"(3), "r"(4));
  if (i < 8 && (less != 0xffffffffu || both != 0)) __trap();
  if (i == 7) out[7] = __vimax_s32_relu(-4, -9);
}

int main() {
  int count = 0, value = 0, version = 0;
  char name[64] = {};
  size_t total = 0, free = 0;
  CUdevice device;
  CUcontext context, current;
  REQUIRE(cuInit(0) == CUDA_SUCCESS && cuDeviceGetCount(&count) == CUDA_SUCCESS && count >= 1);
  REQUIRE(cuDeviceGet(&device, 0) == CUDA_SUCCESS && cuDeviceGet(&device, 99) == CUDA_ERROR_INVALID_DEVICE);
  REQUIRE(cuDeviceGetName(name, sizeof name, device) == CUDA_SUCCESS && std::strlen(name) > 0);
  REQUIRE(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device) == CUDA_SUCCESS && value == 32);
  REQUIRE(cuDeviceTotalMem(&total, device) == CUDA_SUCCESS && cuDriverGetVersion(&version) == CUDA_SUCCESS && version >= 12000);
  REQUIRE(cuCtxCreate(&context, 0, device) == CUDA_SUCCESS && cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == context);
  REQUIRE(cuMemGetInfo(&free, &total) == CUDA_SUCCESS && free <= total);
  CUdeviceptr memory;
  int out[8];
  REQUIRE(cuMemAlloc(&memory, sizeof out) == CUDA_SUCCESS && cuMemsetD8(memory, 0, sizeof out) == CUDA_SUCCESS);
  dpx<<<1, 8>>>((int*)memory);
  REQUIRE(cudaGetLastError() == cudaSuccess && cuCtxSynchronize() == CUDA_SUCCESS);
  REQUIRE(cuMemcpyDtoH(out, memory, sizeof out) == CUDA_SUCCESS);
  const int wanted[8] = {-5, 7, 7, (int)0x00038000u, 0, 0x00030003, 90, 0};
  for (int i = 0; i < 8; ++i) REQUIRE(out[i] == wanted[i]);
  REQUIRE(cuMemsetD32(memory, 0x01020304u, 8) == CUDA_SUCCESS && cuMemcpyDtoH(out, memory, sizeof out) == CUDA_SUCCESS);
  REQUIRE(out[0] == 0x01020304 && out[7] == 0x01020304);
  REQUIRE(cuMemsetD32Async(memory, 0, 8, nullptr) == CUDA_SUCCESS && cuMemcpyDtoH(out, memory, sizeof out) == CUDA_SUCCESS && out[7] == 0);
  void* host;
  CUstream stream;
  CUevent copied;
  REQUIRE(cuMemHostAlloc(&host, sizeof out, CU_MEMHOSTALLOC_PORTABLE) == CUDA_SUCCESS);
  REQUIRE(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS && cuEventCreate(&copied, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS);
  std::memset(host, 1, sizeof out);
  REQUIRE(cuMemcpyHtoDAsync(memory, host, sizeof out, stream) == CUDA_SUCCESS && cuEventRecord(copied, stream) == CUDA_SUCCESS);
  REQUIRE(cuEventSynchronize(copied) == CUDA_SUCCESS && cuEventQuery(copied) == CUDA_SUCCESS);
  REQUIRE(cuMemcpyDtoDAsync(memory, memory + 16, 16, stream) == CUDA_SUCCESS && cuStreamSynchronize(stream) == CUDA_SUCCESS);
  REQUIRE(cuMemcpyDtoH(out, memory, sizeof out) == CUDA_SUCCESS && out[0] == 0x01010101);
  REQUIRE(cuEventDestroy(copied) == CUDA_SUCCESS && cuStreamDestroy(stream) == CUDA_SUCCESS && cuMemFreeHost(host) == CUDA_SUCCESS);
  REQUIRE(cuMemFree(memory) == CUDA_SUCCESS && cuCtxDestroy(context) == CUDA_SUCCESS);
  return 0;
}
