// The lines that the recorded reports name.
__global__ void overrun(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i];
}

__device__ float wide(const void* p) {
  return static_cast<const float4*>(p)->x;
}

__global__ void uses_wide(float* y) {
  y[0] = wide(y);
}

__global__ void sums(float* y) {
  __shared__ float t[256];
  t[threadIdx.x] = y[threadIdx.x];
  y[threadIdx.x] = t[255 - threadIdx.x];
  y[0] += t[0];
}

__global__ void other(float* y) {
  if (threadIdx.x < 37) y[0] = 1, __syncthreads();
}

__global__ void frees(int* p) { free(p); }

void entry(const float* x, float* y, int n) { overrun<<<4, 256>>>(x, y, n); }
