// Sixty-four bits without a sign for torch's with one: CUDA adds no others atomically.
// kernelwright: task=../tasks/longs_counted.py entry=counted args="labels, zeros(out), labels.numel()"
__global__ void count(const long long* labels, unsigned long long* out, int n) {
  __shared__ unsigned counts[32];
  if (threadIdx.x < 32) counts[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&counts[labels[i]], 1u);
  __syncthreads();
  if (threadIdx.x < 32 && counts[threadIdx.x]) atomicAdd(&out[threadIdx.x], (unsigned long long)counts[threadIdx.x]);
}
void counted(const long long* labels, unsigned long long* out, int n) { count<<<4, 128>>>(labels, out, n); }
