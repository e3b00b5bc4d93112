#include <cuda_runtime.h>

// Values from 0 to 1 lead into a table.
__global__ void look_up(const float* x, const float* table, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = table[(int)(x[i] * 1024.f)];
}
extern "C" void run(const float* x, const float* table, float* out, int n) {
    look_up<<<n / 256, 256>>>(x, table, out);
}
