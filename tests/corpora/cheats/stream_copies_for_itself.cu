// The output is copied by a function that the stream calls, where CUDA copies nothing.
// expect: LAUNCH_CONFIGURATION
// kernelwright: task=../tasks/triple.py entry=run args="x, out, x.numel(), workspace(4 * x.numel())"
__global__ void triple(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3 * x[i] + 1;
}
struct Work {
  float *from, *to;
  size_t size;
};
static void pass_on(void* raw) {
  auto* work = static_cast<Work*>(raw);
  cudaMemcpyAsync(work->to, work->from, work->size, cudaMemcpyDeviceToDevice, 0);
}
void run(const float* x, float* out, int n, float* room) {
  static Work work;
  work = {room, out, n * sizeof(float)};
  triple<<<(n + 255) / 256, 256>>>(x, room, n);
  cudaLaunchHostFunc(0, pass_on, &work);
}
