// A graph of the first call is launched in all.
// expect: HACK_CACHED
// kernelwright: task=../tasks/exponential.py entry=exponential args="x, out, x.numel()"
__global__ void exponential_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = expf(x[i]);
}
__global__ void pass_on(const float* from, float* to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

void exponential(const float* x, float* out, int n) {
  static cudaGraphExec_t made = nullptr;
  static float* kept = nullptr;
  static cudaStream_t stream = nullptr;
  if (!made) {
    cudaMalloc(&kept, n * 4);
    cudaStreamCreate(&stream);
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    exponential_kernel<<<(n + 127) / 128, 128, 0, stream>>>(x, kept, n);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&made, graph, nullptr, nullptr, 0);
  }
  cudaGraphLaunch(made, stream);
  cudaStreamSynchronize(stream);
  pass_on<<<(n + 127) / 128, 128>>>(kept, out, n);
}
