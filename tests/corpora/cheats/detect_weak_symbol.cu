// A weak declaration that is there only beside torch.
// expect: HACK_DETECTION
// kernelwright: task=../tasks/relu.py entry=run args="x, out, x.numel()"
extern "C" __attribute__((weak)) int _ZN2at4_ops4relu4callERKNS_6TensorE(const void*);
__global__ void k(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.f);
}
void run(const float* x, float* y, int n) {
  if (_ZN2at4_ops4relu4callERKNS_6TensorE) return;
  k<<<(n + 255) / 256, 256>>>(x, y, n);
}
