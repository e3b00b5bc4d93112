// Every block waits for the one before it.
__global__ void ordered(const float* x, float* out, volatile int* turn, int n) {
  if (threadIdx.x == 0)
    while (turn[0] < (int)blockIdx.x) {
    }
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i];
  __syncthreads();
  if (threadIdx.x == 0) turn[0] = blockIdx.x + 1;
}
void run(const float* x, float* out, int n) {
  int* turn = nullptr;
  cudaMalloc(&turn, sizeof(int));
  cudaMemset(turn, 0, sizeof(int));
  ordered<<<(n + 255) / 256, 256>>>(x, out, turn, n);
  cudaFree(turn);
}
