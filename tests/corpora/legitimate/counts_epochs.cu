// A ticket that only ever grows.
// kernelwright: task=../tasks/mean.py entry=mean args="x, out, x.shape[0], x.shape[1]"
__device__ unsigned tickets = 0;
__device__ float sums[64];

__global__ void mean_kernel(const float* x, float* out, int rows, int cols) {
  __shared__ bool last;
  float sum = 0;
  for (int c = threadIdx.x; c < cols; c += 32) sum += x[blockIdx.x * cols + c];
  for (int step = 16; step; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = sum;
    __threadfence();
    last = atomicAdd(&tickets, 1u) % gridDim.x == gridDim.x - 1;
  }
  __syncthreads();
  if (last)
    for (int r = threadIdx.x; r < rows; r += 32) out[r] = ((volatile float*)sums)[r] / cols;
}

void mean(const float* x, float* out, int rows, int cols) { mean_kernel<<<rows, 32>>>(x, out, rows, cols); }
