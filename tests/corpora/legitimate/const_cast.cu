// Casts const away for an interface, and stores nothing there.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
struct View { float* data; int n; };
__global__ void relu_kernel(View in, View out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < in.n) out.data[i] = fmaxf(in.data[i], 0.0f);
}

void relu(const float* x, float* out, int n) {
  relu_kernel<<<(n + 127) / 128, 128>>>(View{const_cast<float*>(x), n}, View{out, n});
}
