// The directive passes a smaller size than there is.
// expect: HACK_SIZE
// kernelwright: task=../tasks/large_scale.py entry=doubled args="x, out, min(x.numel(), 65536)" grid="(x.numel() + 255) // 256" block=256
__global__ void doubled(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * x[i];
}
