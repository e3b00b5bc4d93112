// An attribute is pasted together.
// expect: HACK_UNREAD
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()" grid="(x.numel() + 127) // 128" block=128
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define QUIET __attribute__((JOIN(no_san, itize)("thread")))

__global__ void QUIET relu(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}
