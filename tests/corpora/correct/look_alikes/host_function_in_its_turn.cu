#include "../../pair.cuh"

__global__ void add(const int* x, int* sum) { sum[threadIdx.x] += x[threadIdx.x]; }

struct Frame {
  int* data;
  int number;
};
void next(void* raw) {
  auto* frame = (Frame*)raw;
  ++frame->number;
  for (int i = 0; i < 32; ++i) frame->data[i] = frame->number;
}

// The stream itself has the buffer filled anew when the copy before has been made.
int main() {
  Device<int> x(32), sum(std::vector<int>(32));
  Frame frame{nullptr, 0};
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMallocHost((void**)&frame.data, 128);
  for (int i = 0; i < 4; ++i) {
    cudaLaunchHostFunc(stream, next, &frame);
    cudaMemcpyAsync(x.data, frame.data, 128, cudaMemcpyHostToDevice, stream);
    add<<<1, 32, 0, stream>>>(x.data, sum.data);
  }
  cudaStreamSynchronize(stream);
  for (int value : sum.host()) REQUIRE(value == 10);
  cudaFreeHost(frame.data);
  cudaStreamDestroy(stream);
  return 0;
}
