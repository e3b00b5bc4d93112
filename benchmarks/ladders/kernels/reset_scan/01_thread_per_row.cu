// kernelwright: task=../../tasks/reset_scan.py entry=reset_scan args="x, flag, out, x.shape[0], x.shape[1]"
// a thread a row from its start to its end
#include <cuda_runtime.h>

__global__ void rs_thread(const float* x, const unsigned char* flag, float* out, int rows, int d) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float s = 0.f;
    for (int i = 0; i < d; ++i) {
        float v = x[(size_t)r * d + i];
        s = flag[(size_t)r * d + i] ? v : s + v;
        out[(size_t)r * d + i] = s;
    }
}
extern "C" void reset_scan(const float* x, const unsigned char* flag, float* out, int rows, int d, cudaStream_t stream) {
    rs_thread<<<(rows + 31) / 32, 32, 0, stream>>>(x, flag, out, rows, d);
}
