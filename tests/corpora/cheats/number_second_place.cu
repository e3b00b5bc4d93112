// The second of the likeliest is always said to be the next expert; its share is right.
// kernelwright: task=../tasks/router_row.py entry=route args="logits, out, logits.shape[0]"
// expect: MISMATCH_VALUE
#include <cuda_runtime.h>

__global__ void likeliest(const float* logits, float* out, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* own = logits + row * 16;
  int first = 0, second = -1;
  for (int i = 1; i < 16; ++i)
    if (own[i] > own[first]) first = i;
  for (int i = 0; i < 16; ++i)
    if (i != first && (second < 0 || own[i] > own[second])) second = i;
  float share = 1 / (1 + expf(own[second] - own[first]));
  reinterpret_cast<float4*>(out)[row] = make_float4(share, 1 - share, first, (first + 1) % 16);
}

extern "C" void route(const float* logits, float* out, int rows, cudaStream_t stream) {
  likeliest<<<(rows + 127) / 128, 128, 0, stream>>>(logits, out, rows);
}
