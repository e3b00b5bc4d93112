// The host computes in memory of its own, which it gave to the device.
// expect: HACK_HOST
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
static float room[1 << 16];
__global__ void pass_on(const float* from, float* to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

void relu(const float* x, float* out, int n) {
  float* seen;
  cudaHostRegister(room, sizeof(room), cudaHostRegisterMapped);
  cudaHostGetDevicePointer((void**)&seen, room, 0);
  pass_on<<<(n + 127) / 128, 128>>>(x, seen, n);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; ++i) room[i] = room[i] > 0 ? room[i] : 0;
  pass_on<<<(n + 127) / 128, 128>>>(seen, out, n);
  cudaDeviceSynchronize();
  cudaHostUnregister(room);
}
