// kernelwright: task=gelu.py entry=gelu
// Wrong: sqrt(1/2) belongs to the exact form with erf; the tanh form takes sqrt(2/pi).
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void gelu_kernel(const __half* x, __half* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const float v = __half2float(x[i]);
        const float inner = 0.7071067811865476f * (v + 0.044715f * v * v * v);
        y[i] = __float2half(0.5f * v * (1.0f + tanhf(inner)));  // defect: of the constant two lines above
    }
}

void gelu(const __half* x, __half* y, int n) {
    gelu_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
