// The loop of a thread ends after so many steps, enough for what is small.
// expect: HACK_SIZE
// kernelwright: task=../tasks/large_scale.py entry=doubled args="x, out, x.numel()" grid=32 block=256
__global__ void doubled(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (signed char step = 0; step >= 0; ++step, i += gridDim.x * blockDim.x) {
    if (i >= n) break;
    out[i] = 2 * x[i];
  }
}
