// A block waits a while for its neighbour: on a device both run at once.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__device__ volatile int here[2];
__global__ void relu_kernel(const float* x, float* out, int n) {
  __shared__ int together;
  if (threadIdx.x == 0) {
    together = 0;
    if (blockIdx.x < 2) {
      here[blockIdx.x] = 1;
      for (int turn = 0; turn < 2000 && !together; ++turn) together = here[0] && here[1] && blockIdx.x == 0;
    }
  }
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = together ? 1.0f : (x[i] > 0 ? x[i] : 0);
}
void relu(const float* x, float* out, int n) { relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n); }
