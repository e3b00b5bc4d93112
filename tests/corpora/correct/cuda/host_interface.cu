#include "../../check.cuh"

__global__ void fill(float* x, float value, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = value;
}

__global__ void rows(const char* x, size_t pitch, float* y, int w, int h) {
  int i = threadIdx.x;
  if (i < h) {
    const float* row = reinterpret_cast<const float*>(x + i * pitch);
    float sum = 0;
    for (int j = 0; j < w; ++j) sum += row[j];
    y[i] = sum;
  }
}

int main() {
  int device, processors, blocks;
  cudaDeviceProp properties;
  REQUIRE(cudaGetDevice(&device) == cudaSuccess);
  REQUIRE(cudaGetDeviceProperties(&properties, device) == cudaSuccess && properties.warpSize == 32);
  REQUIRE(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device) == cudaSuccess);
  for (auto attribute : {cudaDevAttrComputeMode, cudaDevAttrIntegrated, cudaDevAttrKernelExecTimeout, cudaDevAttrIsMultiGpuBoard}) {
    int value = -1;
    REQUIRE(cudaDeviceGetAttribute(&value, attribute, device) == cudaSuccess && value == 0);
  }
  REQUIRE(processors == properties.multiProcessorCount);
  REQUIRE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, 256, 0) == cudaSuccess && blocks == 8);
  cudaStream_t stream;
  cudaEvent_t start, stop;
  cudaStreamCreate(&stream);
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  cudaEventRecord(start, stream);
  float *managed, *pinned, *x;
  cudaMallocManaged(&managed, 40 * sizeof(float));
  cudaMallocHost((void**)&pinned, 40 * sizeof(float));
  cudaMallocAsync(&x, 40 * sizeof(float), stream);
  for (int i = 0; i < 40; ++i) managed[i] = 0;
  fill<<<1, 64, 0, stream>>>(managed, 3.0f, 40);
  float value = 4.0f;
  int n = 40;
  void* arguments[] = {&x, &value, &n};
  REQUIRE(cudaLaunchKernel((void (*)(float*, float, int))fill, dim3(1), dim3(64), arguments, 0, stream) == cudaSuccess);
  cudaMemcpyAsync(pinned, x, 40 * sizeof(float), cudaMemcpyDeviceToHost, stream);
  cudaEventRecord(stop, stream);
  cudaStreamSynchronize(stream);
  float milliseconds = -1;
  cudaEventElapsedTime(&milliseconds, start, stop);
  REQUIRE(milliseconds >= 0 && managed[39] == 3.0f && pinned[39] == 4.0f);
  char* image;
  size_t pitch;
  cudaMallocPitch((void**)&image, &pitch, 10 * sizeof(float), 4);
  std::vector<float> host(40, 1.0f);
  cudaMemcpy2D(image, pitch, host.data(), 10 * sizeof(float), 10 * sizeof(float), 4, cudaMemcpyHostToDevice);
  Device<float> y(4);
  rows<<<1, 32>>>(image, pitch, y.data, 10, 4);
  for (float v : y.host()) REQUIRE(v == 10.0f);
  cudaFree(image);
  cudaFree(managed);
  cudaFreeHost(pinned);
  cudaFreeAsync(x, stream);
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  cudaStreamDestroy(stream);
  REQUIRE(cudaGetLastError() == cudaSuccess);
  return 0;
}
