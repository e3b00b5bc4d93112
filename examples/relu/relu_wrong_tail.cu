// kernelwright: task=relu.py entry=relu
// Wrong: n / 4 vectors cover all but the last n % 4 elements, which nobody writes.
#include <cuda_runtime.h>

__global__ void relu_kernel(const float4* x, float4* y, int vectors) {  // defect: the tail of n % 4 elements is forgotten
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < vectors) {
        float4 a = x[v];
        y[v] = make_float4(fmaxf(a.x, 0.0f), fmaxf(a.y, 0.0f), fmaxf(a.z, 0.0f), fmaxf(a.w, 0.0f));
    }
}

void relu(const float* x, float* y, int n) {
    const int block = 256;
    const int vectors = n / 4;
    relu_kernel<<<(vectors + block - 1) / block, block>>>(
        reinterpret_cast<const float4*>(x), reinterpret_cast<float4*>(y), vectors);
}
