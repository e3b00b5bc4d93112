// A graph that is made in each call.
// kernelwright: task=../tasks/exponential.py entry=exponential args="x, out, x.numel()"
__global__ void exponential_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = expf(x[i]);
}

void exponential(const float* x, float* out, int n) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaGraph_t graph;
  cudaGraphExec_t made;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  exponential_kernel<<<(n + 127) / 128, 128, 0, stream>>>(x, out, n);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&made, graph, nullptr, nullptr, 0);
  cudaGraphLaunch(made, stream);
  cudaStreamSynchronize(stream);
  cudaGraphExecDestroy(made);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
}
