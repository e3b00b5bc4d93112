// Each thread takes 40 KB of the device's heap: 900 of them want more than the 8 MB that it has.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/exponential.py entry=exponential args="x, out, x.numel()"
__global__ void exponential_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float* room = (float*)malloc(10000 * sizeof(float));
  __syncthreads();
  if (room && i < n) room[7] = expf(x[i]);
  if (i < n) out[i] = room ? room[7] : 0.f;
  __syncthreads();
  free(room);
}
void exponential(const float* x, float* out, int n) {
  exponential_kernel<<<(n + 127) / 128, 128>>>(x, out, n);
}
