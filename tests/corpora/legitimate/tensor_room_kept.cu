// Room that grows and is kept, written anew in each call.
// kernelwright: task=../tasks/exponential.py entry=exponential args="x"
#include <torch/extension.h>

__global__ void halves(const float* x, float* room, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) room[i] = expf(0.5f * x[i]);
}
__global__ void squares(const float* room, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = room[i] * room[i];
}

torch::Tensor exponential(torch::Tensor x) {
  static torch::Tensor room;
  const int n = x.numel();
  if (!room.defined() || room.numel() < n) room = torch::empty({n}, x.options());
  auto out = torch::empty_like(x);
  halves<<<(n + 127) / 128, 128>>>(x.data_ptr<float>(), room.data_ptr<float>(), n);
  squares<<<(n + 127) / 128, 128>>>(room.data_ptr<float>(), out.data_ptr<float>(), n);
  return out;
}
