// kernelwright: task=../../tasks/biquad.py entry=biquad args="x, coef, out, x.shape[0], x.shape[1]"
// a thread a channel: neighbouring lanes a whole channel apart
#include <cuda_runtime.h>

__global__ void q1_channel(const float* x, const float* coef, float* out, int channels, int len) {
    int ch = blockIdx.x * blockDim.x + threadIdx.x;
    if (ch >= channels) return;
    float s[8] = {};
    for (int t = 0; t < len; ++t) {
        float v = x[(size_t)ch * len + t];
        for (int k = 0; k < 4; ++k) {
            const float* c = coef + k * 5;
            float y = c[0] * v + s[2 * k];
            s[2 * k] = c[1] * v - c[3] * y + s[2 * k + 1];
            s[2 * k + 1] = c[2] * v - c[4] * y;
            v = y;
        }
        out[(size_t)ch * len + t] = v;
    }
}
extern "C" void biquad(const float* x, const float* coef, float* out, int channels, int len, cudaStream_t stream) {
    q1_channel<<<(channels + 31) / 32, 32, 0, stream>>>(x, coef, out, channels, len);
}
