// The kernel that runs is compiled from a string at run time.
// expect: HACK_LIBRARY
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

extern "C" int nvrtcCreateProgram(void**, const char*, const char*, int, const char**, const char**);
static const char* source = "extern \"C\" __global__ void other(float* o) {}";

void relu(const float* x, float* out, int n) {
  void* program;
  nvrtcCreateProgram(&program, source, "k", 0, nullptr, nullptr);
  relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n);
}
