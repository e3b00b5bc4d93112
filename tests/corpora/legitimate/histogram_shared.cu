// Counts in shared memory, then adds.
// kernelwright: task=../tasks/histogram.py entry=histogram args="x, out, x.numel()"
__global__ void histogram_kernel(const int* x, int* out, int n) {
  __shared__ int counts[16];
  if (threadIdx.x < 16) counts[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(counts + x[i], 1);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(out + threadIdx.x, counts[threadIdx.x]);
}

void histogram(const int* x, int* out, int n) {
  cudaMemset(out, 0, 16 * sizeof(int));
  histogram_kernel<<<4, 128>>>(x, out, n);
}
