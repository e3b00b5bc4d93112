#include "../../pair.cuh"

__global__ void add(const float* x, float* y) { y[threadIdx.x] += x[threadIdx.x]; }  // expect: RACE_STREAM

// Captured: the second stream forks off behind the copy, and meets the first one's sum.
int main() {
  Device<float> a(ramp(64)), b(ramp(64)), y(64), z(64);
  std::vector<float> zero(64);
  cudaStream_t one, other;
  cudaEvent_t forked, joined;
  cudaStreamCreate(&one);
  cudaStreamCreate(&other);
  cudaEventCreate(&forked);
  cudaEventCreate(&joined);
  cudaGraph_t graph;
  cudaGraphExec_t made;
  cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
  cudaMemsetAsync(y.data, 0, 256, one);
  cudaMemsetAsync(z.data, 0, 256, one);
  cudaEventRecord(forked, one);
  cudaStreamWaitEvent(other, forked);
  add<<<1, 64, 0, one>>>(a.data, y.data);
#ifdef DEFECT
  add<<<1, 64, 0, other>>>(b.data, y.data);
#else
  add<<<1, 64, 0, other>>>(b.data, z.data);
#endif
  cudaEventRecord(joined, other);
  cudaStreamWaitEvent(one, joined);
  add<<<1, 64, 0, one>>>(z.data, y.data);
  cudaStreamEndCapture(one, &graph);
  cudaGraphInstantiate(&made, graph, nullptr, nullptr, 0);
  for (int i = 0; i < 3; ++i) cudaGraphLaunch(made, one);
  cudaStreamSynchronize(one);
  auto sums = y.host(), wanted = ramp(64);
  for (int i = 0; i < 64; ++i) REQUIRE(sums[i] == 2 * wanted[i]);
  cudaGraphExecDestroy(made);
  cudaGraphDestroy(graph);
  cudaEventDestroy(forked);
  cudaEventDestroy(joined);
  cudaStreamDestroy(one);
  cudaStreamDestroy(other);
  return 0;
}
