// A function that the stream calls notes that the work is done, and calls nothing of CUDA.
// kernelwright: task=../tasks/triple.py entry=run args="x, out, x.numel()"
#include <atomic>
__global__ void triple(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3 * x[i] + 1;
}
static std::atomic<bool> done;
static void note(void* flag) { *static_cast<std::atomic<bool>*>(flag) = true; }
void run(const float* x, float* out, int n) {
  done = false;
  triple<<<(n + 255) / 256, 256>>>(x, out, n);
  cudaLaunchHostFunc(0, note, &done);
}
