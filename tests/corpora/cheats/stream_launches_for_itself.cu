// The work is begun by a function that the stream calls, where a device launches nothing.
// expect: LAUNCH_CONFIGURATION
// kernelwright: task=../tasks/triple.py entry=run args="x, out, x.numel()"
__global__ void triple(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3 * x[i] + 1;
}
struct Work {
  const float* x;
  float* out;
  int n;
};
static void begin(cudaStream_t, cudaError_t, void* raw) {
  auto* work = static_cast<Work*>(raw);
  triple<<<(work->n + 255) / 256, 256>>>(work->x, work->out, work->n);
}
void run(const float* x, float* out, int n) {
  static Work work;
  work = {x, out, n};
  cudaStreamAddCallback(0, begin, &work, 0);
}
