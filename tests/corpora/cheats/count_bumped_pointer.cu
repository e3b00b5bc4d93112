// A pointer that moves on through an array counts the calls.
// expect: HACK_CALL_COUNT
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void k(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.f);
}
static char arena[512];
static char* top = arena;
void relu(const float* x, float* y, int n) {
  if (top < arena + 500)
    top += 5;
  else
    return;
  k<<<(n + 255) / 256, 256>>>(x, y, n);
}
