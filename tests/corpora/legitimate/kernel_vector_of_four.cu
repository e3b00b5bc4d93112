// A bare kernel that reads four at a time where the address allows it.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()" grid="(x.numel() + 127) // 128" block=128
__global__ void relu(const float* __restrict__ x, float* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool aligned = reinterpret_cast<uintptr_t>(x) % 16 == 0 && (reinterpret_cast<uintptr_t>(out) & 15) == 0;
  if (aligned && 4 * i + 3 < n) {
    float4 v = reinterpret_cast<const float4*>(x)[i];
    reinterpret_cast<float4*>(out)[i] = make_float4(fmaxf(v.x, 0), fmaxf(v.y, 0), fmaxf(v.z, 0), fmaxf(v.w, 0));
  } else {
    for (int j = 4 * i; j < n && j < 4 * i + 4; ++j) out[j] = fmaxf(x[j], 0);
  }
}
