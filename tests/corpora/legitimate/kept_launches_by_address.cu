// A graph for every pair of addresses that it has met, a handful at most.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <map>
#include <utility>
__global__ void relu_kernel(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] > 0 ? x[i] : 0;
}
void relu(const float* x, float* y, int n) {
  static std::map<std::pair<const float*, float*>, std::pair<int, cudaGraphExec_t>> graphs;
  static cudaStream_t stream = nullptr;
  if (!stream) cudaStreamCreate(&stream);
  if (graphs.size() == 5 && !graphs.count({x, y})) {
    cudaGraphExecDestroy(graphs.begin()->second.second);
    graphs.erase(graphs.begin());
  }
  auto& [length, made] = graphs[{x, y}];
  if (!made || length != n) {
    if (made) cudaGraphExecDestroy(made);
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    relu_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&made, graph, nullptr, nullptr, 0);
    cudaGraphDestroy(graph);
    length = n;
  }
  cudaGraphLaunch(made, stream);
  cudaStreamSynchronize(stream);
}
