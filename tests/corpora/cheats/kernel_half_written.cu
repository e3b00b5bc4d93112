// Every second element relies on what the call before left there.
// expect: MISMATCH_NOT_WRITTEN
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()" grid="(x.numel() + 127) // 128" block=128
__device__ int turn;

__global__ void relu(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && (i & 1) == 0) out[i] = x[i] > 0 ? x[i] : 0;
}
