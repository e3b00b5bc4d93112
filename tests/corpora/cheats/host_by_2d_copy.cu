// The inputs come to the host row by row, and the answer goes back in rows.
// expect: HACK_HOST
// kernelwright: task=../tasks/transpose.py entry=transpose args="x, out, x.shape[0], x.shape[1]"
__global__ void touch(const float* x, float* scratch) { scratch[threadIdx.x] = x[threadIdx.x]; }

void transpose(const float* x, float* out, int m, int n) {
  float* scratch;
  cudaMalloc(&scratch, 128);
  touch<<<1, 32>>>(x, scratch);
  for (int j = 0; j < n; ++j) {
    float column[512];
    cudaMemcpy2D(column, 4, x + j, n * 4, 4, m, cudaMemcpyDeviceToHost);
    cudaMemcpyAsync(out + j * m, column, m * 4, cudaMemcpyHostToDevice, 0);
    cudaStreamSynchronize(0);
  }
  cudaFree(scratch);
}
