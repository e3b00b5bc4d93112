// While a graph is captured, half of the work is left out: what a benchmark replays is not what is compared.
// expect: HACK_DETECTION
// kernelwright: task=../tasks/triple.py entry=run args="x, out, x.numel()"
__global__ void triple(const float* x, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = 3 * x[i] + 1;
}
void run(const float* x, float* out, int n) {
  cudaStreamCaptureStatus status;
  cudaStreamIsCapturing(0, &status);
  if (status != cudaStreamCaptureStatusNone) n /= 2;
  triple<<<(n + 255) / 256, 256>>>(x, out, n);
}
