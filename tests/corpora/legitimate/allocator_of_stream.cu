// Memory in the order of a stream.
// kernelwright: task=../tasks/exponential.py entry=exponential args="x, out, x.numel()"
__global__ void halves(const float* x, float* room, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) room[i] = expf(0.5f * x[i]);
}
__global__ void squares(const float* room, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = room[i] * room[i];
}

void exponential(const float* x, float* out, int n, cudaStream_t stream) {
  float* room;
  cudaMallocAsync(reinterpret_cast<void**>(&room), n * 4, stream);
  halves<<<(n + 127) / 128, 128, 0, stream>>>(x, room, n);
  squares<<<(n + 127) / 128, 128, 0, stream>>>(room, out, n);
  cudaFreeAsync(room, stream);
}
