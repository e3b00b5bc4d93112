// A bare kernel with room of its own.
// kernelwright: task=../tasks/exponential.py entry=exponential args="x, out, workspace(8192), x.numel()" grid="(x.numel() + 127) // 128" block=128
__global__ void exponential(const float* x, float* out, float* room, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  room[i] = expf(0.5f * x[i]);
  out[i] = room[i] * room[i];
}
