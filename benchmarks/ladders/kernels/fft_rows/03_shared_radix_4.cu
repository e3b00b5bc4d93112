// kernelwright: task=../../tasks/fft_rows.py entry=fft_rows args="x, out, x.shape[0]"
// a block of 256 a row, five stages of four points each in registers, twiddles by the special units
#include <cuda_runtime.h>

__device__ __forceinline__ float2 turned(float2 a, float angle) {
    float s, c;
    __sincosf(angle, &s, &c);
    return make_float2(a.x * c - a.y * s, a.x * s + a.y * c);
}
__global__ void __launch_bounds__(256) ff_four(const float2* __restrict__ x, float2* __restrict__ out) {
    __shared__ float re[1024], im[1024];
    int t = threadIdx.x;
    size_t row = (size_t)blockIdx.x * 1024;
    float2 v[4];
#pragma unroll
    for (int r = 0; r < 4; ++r) v[r] = x[row + t + r * 256];
#pragma unroll
    for (int done = 1; done < 1024; done *= 4) {
        int k = t & (done - 1);
        float angle = -1.57079632679f * k / done;
        float2 a = v[0], b = turned(v[1], angle), c = turned(v[2], 2 * angle), d = turned(v[3], 3 * angle);
        float2 p = make_float2(a.x + c.x, a.y + c.y), q = make_float2(a.x - c.x, a.y - c.y);
        float2 g = make_float2(b.x + d.x, b.y + d.y), h = make_float2(b.y - d.y, d.x - b.x);
        v[0] = make_float2(p.x + g.x, p.y + g.y);
        v[1] = make_float2(q.x + h.x, q.y + h.y);
        v[2] = make_float2(p.x - g.x, p.y - g.y);
        v[3] = make_float2(q.x - h.x, q.y - h.y);
        int to = (t - k) * 4 + k;
        if (done < 256) {
            __syncthreads();
#pragma unroll
            for (int r = 0; r < 4; ++r) { re[to + r * done] = v[r].x; im[to + r * done] = v[r].y; }
            __syncthreads();
#pragma unroll
            for (int r = 0; r < 4; ++r) v[r] = make_float2(re[t + r * 256], im[t + r * 256]);
        } else {
#pragma unroll
            for (int r = 0; r < 4; ++r) out[row + to + r * done] = v[r];
        }
    }
}
extern "C" void fft_rows(const float* x, float* out, int rows, cudaStream_t stream) {
    ff_four<<<rows, 256, 0, stream>>>((const float2*)x, (float2*)out);
}
