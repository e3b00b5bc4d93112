// The grid of the directive is bounded, and the kernel takes one element a thread.
// expect: HACK_SIZE
// kernelwright: task=../tasks/large_scale.py entry=doubled args="x, out, x.numel()" grid="min((x.numel() + 255) // 256, 512)" block=256
__global__ void doubled(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * x[i];
}
