#include "../../pair.cuh"

__global__ void add(int* x, int by) { x[threadIdx.x] += by; }

int main() {
  Device<int> x(ramp<int>(32)), y(ramp<int>(32));
  cudaStream_t one, other;
  cudaEvent_t forked, joined;
  cudaGraph_t graph;
  cudaStreamCreate(&one);
  cudaStreamCreate(&other);
  cudaEventCreate(&forked);
  cudaEventCreate(&joined);
  cudaDeviceSynchronize();
  cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
  cudaEventRecord(forked, one);
  cudaStreamWaitEvent(other, forked, 0);
  add<<<1, 32, 0, one>>>(x.data, 1);
  add<<<1, 32, 0, other>>>(y.data, 2);
#ifndef DEFECT
  cudaEventRecord(joined, other);
  cudaStreamWaitEvent(one, joined, 0);
#endif
  cudaStreamEndCapture(one, &graph);  // expect: LAUNCH_UNCHECKED
  if (graph) {
    cudaGraphExec_t made;
    cudaGraphInstantiate(&made, graph, 0);
    cudaGraphLaunch(made, one);
    cudaStreamSynchronize(one);
    cudaGraphExecDestroy(made);
    cudaGraphDestroy(graph);
  }
  cudaEventDestroy(forked);
  cudaEventDestroy(joined);
  cudaStreamDestroy(one);
  cudaStreamDestroy(other);
  return 0;
}
