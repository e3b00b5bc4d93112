// Graphs: captured from streams that wait for each other, and put together node by node.
#include "../../check.cuh"

__global__ void add(float* x, int n, float value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += value;
}

__global__ void scale(float* x, int n, float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}

static void count_up(void* counter) { ++*static_cast<int*>(counter); }

static int captured() {
  const int n = 200;
  std::vector<float> host(n, 1.0f), back(n);
  Device<float> x(n);
  cudaStream_t stream, other;
  cudaEvent_t forked, joined;
  cudaStreamCreate(&stream);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaEventCreate(&forked);
  cudaEventCreate(&joined);
  cudaGraph_t graph;
  cudaGraphExec_t made;
  int calls = 0;
  float value = 2.0f;

  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  cudaMemcpyAsync(x.data, host.data(), n * sizeof(float), cudaMemcpyHostToDevice, stream);
  add<<<1, 256, 0, stream>>>(x.data, n, value);
  value = 100.0f;  // the launch was noted with what it was given
  cudaEventRecord(forked, stream);
  cudaStreamWaitEvent(other, forked, 0);
  scale<<<1, 256, 0, other>>>(x.data, n, 3.0f);
  cudaEventRecord(joined, other);
  cudaStreamWaitEvent(stream, joined, 0);
  cudaLaunchHostFunc(stream, count_up, &calls);
  cudaMemcpyAsync(back.data(), x.data, n * sizeof(float), cudaMemcpyDeviceToHost, stream);
  cudaStreamCaptureStatus status;
  REQUIRE(cudaStreamIsCapturing(other, &status) == cudaSuccess && status == cudaStreamCaptureStatusActive);
  REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  REQUIRE(cudaStreamIsCapturing(other, &status) == cudaSuccess && status == cudaStreamCaptureStatusNone);
  REQUIRE(calls == 0 && back[0] == 0.0f);  // nothing has run yet

  size_t nodes = 0;
  REQUIRE(cudaGraphGetNodes(graph, nullptr, &nodes) == cudaSuccess && nodes == 5);
  REQUIRE(cudaGraphInstantiate(&made, graph, nullptr, nullptr, 0) == cudaSuccess);
  host[1] = 4.0f;  // a copy reads what is there when it runs
  for (int i = 0; i < 3; ++i) REQUIRE(cudaGraphLaunch(made, stream) == cudaSuccess);
  cudaStreamSynchronize(stream);
  REQUIRE(calls == 3 && back[0] == 9.0f && back[1] == 18.0f && back[n - 1] == 9.0f);
  cudaGraphExecDestroy(made);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  cudaStreamDestroy(other);
  cudaEventDestroy(forked);
  cudaEventDestroy(joined);
  return 0;
}

static int by_hand() {
  const int n = 100;
  Device<float> x(n);
  cudaGraph_t graph;
  cudaGraphNode_t fill, first, second, copy;
  REQUIRE(cudaGraphCreate(&graph, 0) == cudaSuccess);
  cudaMemsetParams zero = {x.data, 0, 0, sizeof(float), (size_t)n, 1};
  REQUIRE(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &zero) == cudaSuccess);
  float one = 1.0f, two = 2.0f;
  int count = n;
  void* arguments[] = {&x.data, &count, &one};
  cudaKernelNodeParams what = {};
  what.func = (void*)add;
  what.gridDim = dim3(1);
  what.blockDim = dim3(128);
  what.kernelParams = arguments;
  REQUIRE(cudaGraphAddKernelNode(&first, graph, &fill, 1, &what) == cudaSuccess);
  void* factors[] = {&x.data, &count, &two};
  what.func = (void*)scale;
  what.kernelParams = factors;
  REQUIRE(cudaGraphAddKernelNode(&second, graph, &first, 1, &what) == cudaSuccess);
  std::vector<float> back(n);
  REQUIRE(cudaGraphAddMemcpyNode1D(&copy, graph, &second, 1, back.data(), x.data, n * sizeof(float),
                                   cudaMemcpyDeviceToHost) == cudaSuccess);
  cudaGraphExec_t made;
  REQUIRE(cudaGraphInstantiate(&made, graph, 0) == cudaSuccess);
  REQUIRE(cudaGraphLaunch(made, 0) == cudaSuccess);
  REQUIRE(back[0] == 2.0f && back[n - 1] == 2.0f);
  one = 5.0f;
  what.func = (void*)add;
  what.kernelParams = arguments;
  REQUIRE(cudaGraphExecKernelNodeSetParams(made, first, &what) == cudaSuccess);
  REQUIRE(cudaGraphLaunch(made, 0) == cudaSuccess);
  REQUIRE(back[0] == 10.0f);
  cudaGraphExecDestroy(made);
  cudaGraphDestroy(graph);
  return 0;
}

int main() { return captured() || by_hand(); }
