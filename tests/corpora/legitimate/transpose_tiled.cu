// A transposition through shared memory.
// kernelwright: task=../tasks/transpose.py entry=transpose args="x, out, x.shape[0], x.shape[1]"
__global__ void transpose_kernel(const float* x, float* out, int m, int n) {
  __shared__ float tile[16][17];
  int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
  if (r < m && c < n) tile[threadIdx.y][threadIdx.x] = x[r * n + c];
  __syncthreads();
  int tr = blockIdx.x * 16 + threadIdx.y, tc = blockIdx.y * 16 + threadIdx.x;
  if (tr < n && tc < m) out[tr * m + tc] = tile[threadIdx.x][threadIdx.y];
}

void transpose(const float* x, float* out, int m, int n) {
  transpose_kernel<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(x, out, m, n);
}
