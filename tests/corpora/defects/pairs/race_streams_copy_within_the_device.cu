#include "../../pair.cuh"

__global__ void twice(const float* x, float* y) { y[threadIdx.x] = 2 * x[threadIdx.x]; }  // expect: RACE_STREAM

int main() {
  Device<float> x(ramp(64)), copy(64), y(64);
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
#ifdef DEFECT
  cudaMemcpy(copy.data, x.data, 64 * sizeof(float), cudaMemcpyDeviceToDevice);
#else
  cudaMemcpyAsync(copy.data, x.data, 64 * sizeof(float), cudaMemcpyDeviceToDevice, stream);
#endif
  twice<<<1, 64, 0, stream>>>(copy.data, y.data);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  return y.host()[3] == 6 ? 0 : 1;
}
