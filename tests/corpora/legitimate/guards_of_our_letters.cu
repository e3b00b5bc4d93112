// Include guards and macros that begin like ours, and a hash by shifts.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#ifndef KW_RELU_CU
#define KW_RELU_CU
#define KW_BLOCK 128
#if KW_BLOCK >= 64
#define KW_WIDE 1
#endif
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

static unsigned mixed(unsigned long long key) { return unsigned((key * 0x9E3779B97F4A7C15ull) >> 40); }

void relu(const float* x, float* out, int n) {
  int block = KW_BLOCK + 32 * int(mixed((unsigned long long)n) % 2);
  relu_kernel<<<(n + block - 1) / block, block>>>(x, out, n);
}
#endif
