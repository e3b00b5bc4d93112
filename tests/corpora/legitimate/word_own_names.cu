// Functions of its own that are called like others.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
namespace fast {
struct thread { int lane; };
__device__ float relu(float v) { return v > 0 ? v : 0; }
__device__ float matmul(float a, float b) { return a * b; }
static int time_blocks(int n) { return (n + 127) / 128; }
static int read_size(int n) { return n; }
}
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fast::relu(fast::matmul(x[i], 1.0f));
}

void relu(const float* x, float* out, int n) { relu_kernel<<<fast::time_blocks(fast::read_size(n)), 128>>>(x, out, n); }
