// Counts runs by their last label only: two equal neighbours count once too often or not.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/scatter_counts.py entry=run args="labels, out, labels.numel()"
__global__ void k(const int* l, int* y, int n) {
  __shared__ unsigned char room[64];
  if (threadIdx.x < 64) room[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x < 64) for (int i = 0; i < n; ++i) room[threadIdx.x] += l[i] == threadIdx.x;
  __syncthreads();
  if (threadIdx.x < 64) y[threadIdx.x] = room[threadIdx.x];
}
void run(const int* l, int* y, int n) { k<<<1, 64>>>(l, y, n); }
