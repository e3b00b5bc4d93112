// The host looks for the places, the kernel only stores them.
// expect: HACK_HOST
// kernelwright: task=../tasks/maximum.py entry=maximum args="x, out, x.shape[0], x.shape[1]"
#include <vector>

__global__ void store(long long* out, const long long* from, int n) {
  if (threadIdx.x < n) out[threadIdx.x] = from[threadIdx.x];
}

void maximum(const float* x, long long* out, int rows, int cols) {
  std::vector<float> host(rows * cols);
  cudaMemcpy(host.data(), x, host.size() * 4, cudaMemcpyDeviceToHost);
  std::vector<long long> places(rows);
  for (int r = 0; r < rows; ++r)
    for (int c = 1; c < cols; ++c)
      if (host[r * cols + c] > host[r * cols + places[r]]) places[r] = c;
  long long* room;
  cudaMalloc(&room, rows * 8);
  cudaMemcpy(room, places.data(), rows * 8, cudaMemcpyHostToDevice);
  store<<<1, 64>>>(out, room, rows);
  cudaFree(room);
}
