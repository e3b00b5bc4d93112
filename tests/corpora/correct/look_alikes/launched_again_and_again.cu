#include "../../pair.cuh"

// Kernels are launched with the same arguments again, and what they compute is another thing for each of many reasons.
__constant__ float factor;
__device__ int step;
__managed__ float offset;

__global__ void scale(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * factor;
}
__global__ void increment(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 1;
}
__global__ void sum(const float* x, float* total, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(total, x[i]);
}
__global__ void count(int* steps) { steps[0] = ++step; }
__global__ void stamp(long long* when) { *when = clock64(); }
__global__ void shift(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + offset;
}
template <class T>
__global__ void fill(T* x, int n, T value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = value;
}

int main() {
  const int n = 3000;
  Device<float> x(ramp(n)), y(n), total(1);
  float two = 2, three = 3, zero = 0;
  // Its input stays: nothing changes.
  cudaMemcpyToSymbol(factor, &two, sizeof two);
  for (int i = 0; i < 5; ++i) scale<<<12, 256>>>(x.data, y.data, n);
  REQUIRE(y.host()[16] == 32);
  // A constant, an output that somebody else overwrote, an input that was copied anew.
  cudaMemcpyToSymbol(factor, &three, sizeof three);
  scale<<<12, 256>>>(x.data, y.data, n);
  REQUIRE(y.host()[16] == 48);
  fill<<<12, 256>>>(y.data, n, 7.0f);
  scale<<<12, 256>>>(x.data, y.data, n);
  REQUIRE(y.host()[16] == 48);
  cudaMemset(y.data, 0, n * sizeof(float));
  cudaMemset(y.data, 0, n * sizeof(float));
  scale<<<12, 256>>>(x.data, y.data, n);
  REQUIRE(y.host()[16] == 48);
  std::vector<float> other(n, 5.0f);
  cudaMemcpy(x.data, other.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  scale<<<12, 256>>>(x.data, y.data, n);
  REQUIRE(y.host()[2999] == 15);
  // In place.
  for (int i = 0; i < 10; ++i) increment<<<12, 256>>>(x.data, n);
  REQUIRE(x.host()[2999] == 15);
  // Two that feed each other, then something between them.
  for (int i = 0; i < 4; ++i) {
    scale<<<12, 256>>>(x.data, y.data, n);
    increment<<<12, 256>>>(y.data, n);
  }
  REQUIRE(y.host()[2999] == 46);
  // Set back before every launch, and then once not.
  fill<<<12, 256>>>(x.data, n, 1.0f);
  for (int i = 0; i < 6; ++i) {
    cudaMemset(total.data, 0, sizeof(float));
    sum<<<12, 256>>>(x.data, total.data, n);
    REQUIRE(total.host()[0] == n);
  }
  sum<<<12, 256>>>(x.data, total.data, n);
  REQUIRE(total.host()[0] == 2 * n);
  for (int i = 0; i < 6; ++i) {
    cudaMemcpy(total.data, &zero, sizeof(float), cudaMemcpyHostToDevice);
    sum<<<12, 256>>>(x.data, total.data, n);
  }
  REQUIRE(total.host()[0] == n);
  // What is no memory of the heap.
  Device<int> steps(1);
  for (int i = 1; i < 5; ++i) {
    count<<<1, 1>>>(steps.data);
    REQUIRE(steps.host()[0] == i);
  }
  Device<long long> when(1);
  long long before = -1;
  for (int i = 1; i < 5; ++i) {
    stamp<<<1, 1>>>(when.data);
    long long now = when.host()[0];
    REQUIRE(now > before);
    before = now;
  }
  // Memory that the host shares.
  float* shared;
  cudaMallocManaged(&shared, n * sizeof(float));
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < n; ++k) shared[k] = i;
    scale<<<12, 256>>>(shared, y.data, n);
    cudaDeviceSynchronize();
    REQUIRE(y.host()[7] == 3 * i);
  }
  cudaFree(shared);
  for (int i = 0; i < 4; ++i) {
    offset = i;
    shift<<<12, 256>>>(x.data, y.data, n);
    cudaDeviceSynchronize();
    REQUIRE(y.host()[7] == 1 + i);
  }
  // Memory that was freed and allocated again, with another content.
  for (int i = 0; i < 4; ++i) {
    Device<float> fresh(std::vector<float>(n, (float)i));
    scale<<<12, 256>>>(fresh.data, y.data, n);
    REQUIRE(y.host()[2999] == 3 * i);
  }
  // Streams that wait for each other.
  cudaStream_t one, two_;
  cudaStreamCreate(&one);
  cudaStreamCreate(&two_);
  cudaEvent_t done;
  cudaEventCreate(&done);
  for (int i = 0; i < 4; ++i) {
    scale<<<12, 256, 0, one>>>(x.data, y.data, n);
    cudaEventRecord(done, one);
    cudaStreamWaitEvent(two_, done, 0);
    increment<<<12, 256, 0, two_>>>(y.data, n);
    cudaEventRecord(done, two_);
    cudaStreamWaitEvent(one, done, 0);
  }
  cudaDeviceSynchronize();
  REQUIRE(y.host()[0] == 4);
  cudaEventDestroy(done);
  cudaStreamDestroy(one);
  cudaStreamDestroy(two_);
  return 0;
}
