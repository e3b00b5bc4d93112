#include "../../pair.cuh"

__global__ void scale(float* x, float factor) { x[threadIdx.x] *= factor; }

int main() {
  const int n = 64, chunks = 6;
  cudaStream_t streams[2];
  cudaEvent_t filled[2];
  float *host, *device[2];
  cudaMallocHost(&host, n * chunks * sizeof(float));
  for (int i = 0; i < n * chunks; ++i) host[i] = i;
  for (int k = 0; k < 2; ++k) {
    cudaStreamCreate(&streams[k]);
    cudaEventCreateWithFlags(&filled[k], cudaEventDisableTiming);
    cudaMalloc(&device[k], n * sizeof(float));
  }
  for (int c = 0; c < chunks; ++c) {
    auto stream = streams[c % 2];
    cudaMemcpyAsync(device[c % 2], host + c * n, n * sizeof(float), cudaMemcpyHostToDevice, stream);
    scale<<<1, n, 0, stream>>>(device[c % 2], 2);
    cudaMemcpyAsync(host + c * n, device[c % 2], n * sizeof(float), cudaMemcpyDeviceToHost, stream);
  }
  // The second stream goes on where the first one stops, and the default stream waits for both.
  cudaEventRecord(filled[0], streams[0]);
  cudaStreamWaitEvent(streams[1], filled[0], 0);
  scale<<<1, n, 0, streams[1]>>>(device[0], 3);
  scale<<<1, n>>>(device[0], 0.5f);
  float first = 0;
  cudaMemcpy(&first, device[0] + 1, sizeof first, cudaMemcpyDeviceToHost);
  REQUIRE(first == (4 * n + 1) * 3.0f);
  cudaDeviceSynchronize();
  REQUIRE(host[n * chunks - 1] == 2.0f * (n * chunks - 1));
  for (int k = 0; k < 2; ++k) {
    cudaStreamDestroy(streams[k]);
    cudaEventDestroy(filled[k]);
    cudaFree(device[k]);
  }
  cudaFreeHost(host);
  return 0;
}
