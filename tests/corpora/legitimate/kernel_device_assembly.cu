// Device assembly for lanes and a fused product.
// kernelwright: task=../tasks/affine.py entry=affine args="x, weight, bias, out, x.shape[0], x.shape[1]" grid="(x.numel() + 127) // 128" block=128
__global__ void affine(const float* x, const float* w, const float* b, float* out, int rows, int cols) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * cols) return;
  float result;
  unsigned lane;
  asm volatile("mov.u32 %0, %laneid;" : "=r"(lane));
  asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(result) : "f"(x[i]), "f"(w[i % cols]), "f"(b[i % cols]));
  if (lane < 32) out[i] = result;
}
