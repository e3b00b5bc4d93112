// One histogram a warp in shared memory, joined at the end.
// kernelwright: task=../tasks/scatter_counts.py entry=run args="labels, out, labels.numel()"
__global__ void k(const int* l, int* y, int n) {
  __shared__ int room[4][64];
  for (int j = threadIdx.x; j < 256; j += 128) room[j / 64][j % 64] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) atomicAdd(&room[threadIdx.x / 32][l[i]], 1);
  __syncthreads();
  if (threadIdx.x < 64) {
    int s = room[0][threadIdx.x] + room[1][threadIdx.x] + room[2][threadIdx.x] + room[3][threadIdx.x];
    if (s) atomicAdd(y + threadIdx.x, s);
  }
}
void run(const int* l, int* y, int n) {
  cudaMemsetAsync(y, 0, 256);
  k<<<4, 128>>>(l, y, n);
}
