// Relies on the workspace of the call before.
// expect: HACK_CACHED
// kernelwright: task=../tasks/exponential.py entry=exponential args="x, out, workspace(8192), x.numel()" grid="(x.numel() + 127) // 128" block=128
__global__ void exponential(const float* x, float* out, float* room, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (room[i] == x[i]) {
    out[i] = room[1000 + i];
    return;
  }
  room[i] = x[i];
  out[i] = room[1000 + i] = expf(x[i]);
}
