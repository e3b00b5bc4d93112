// Partial sums in double, in one launch, the last block adds them up.
// kernelwright: task=../tasks/mse.py entry=mse args="a, b, out, a.numel()"
__device__ double partial[64];
__device__ unsigned done;
__global__ void mse_kernel(const float* a, const float* b, float* out, int n) {
  __shared__ double all[64];
  __shared__ bool last;
  double mine = 0;
  for (int i = blockIdx.x * 64 + threadIdx.x; i < n; i += gridDim.x * 64) mine += double(a[i] - b[i]) * (a[i] - b[i]);
  all[threadIdx.x] = mine;
  __syncthreads();
  if (threadIdx.x == 0) {
    double sum = 0;
    for (double v : all) sum += v;
    partial[blockIdx.x] = sum;
    __threadfence();
    last = atomicInc(&done, gridDim.x - 1) == gridDim.x - 1;
    if (last) {
      __threadfence();
      double whole = 0;
      for (int i = 0; i < gridDim.x; ++i) whole += ((volatile double*)partial)[i];
      *out = whole / n;
    }
  }
}
void mse(const float* a, const float* b, float* out, int n) { mse_kernel<<<16, 64>>>(a, b, out, n); }
