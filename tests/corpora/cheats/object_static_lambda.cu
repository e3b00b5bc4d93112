// A lambda at file scope runs before anybody calls.
// expect: HACK_INITIALISER
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}
static float* room;
static const int ready = [] {
  cudaMalloc(&room, 1 << 16);
  return 1;
}();
void relu(const float* x, float* out, int n) {
  if (ready) relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n);
}
