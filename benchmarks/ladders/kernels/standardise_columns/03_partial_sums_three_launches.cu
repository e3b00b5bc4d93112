// kernelwright: task=../../tasks/standardise_columns.py entry=standardise args="x, out, x.shape[0], x.shape[1]"
// strips write partial moments, a small launch joins them into scale and shift, then every entry
#include <cuda_runtime.h>

__device__ float sd_part[2][128 * 4096], sd_scale[4096], sd_shift[4096];

__global__ void __launch_bounds__(256) sd_strip(const float* __restrict__ x, int R, int C, int rows) {
    __shared__ float ss[8][32], qs[8][32];
    int c = blockIdx.x * 32 + threadIdx.x, r0 = blockIdx.y * rows, end = min(R, r0 + rows);
    float s = 0.f, q = 0.f;
    if (c < C) {
        float first = x[c];
#pragma unroll 4
        for (int r = r0 + threadIdx.y; r < end; r += 8) {
            float v = x[r * C + c] - first;
            s += v;
            q += v * v;
        }
    }
    ss[threadIdx.y][threadIdx.x] = s;
    qs[threadIdx.y][threadIdx.x] = q;
    __syncthreads();
    if (threadIdx.y == 0 && c < C) {
        for (int w = 1; w < 8; w++) {
            s += ss[w][threadIdx.x];
            q += qs[w][threadIdx.x];
        }
        sd_part[0][blockIdx.y * C + c] = s;
        sd_part[1][blockIdx.y * C + c] = q;
    }
}
__global__ void sd_join(const float* __restrict__ x, int R, int C, int strips) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= C) return;
    float s = 0.f, q = 0.f;
#pragma unroll 8
    for (int i = 0; i < strips; i++) {
        s += sd_part[0][i * C + c];
        q += sd_part[1][i * C + c];
    }
    s /= R;
    float inv = rsqrtf(fmaxf(q / R - s * s, 0.f) + 1e-6f);
    sd_scale[c] = inv;
    sd_shift[c] = -(x[c] + s) * inv;
}
__global__ void sd_apply(const float* __restrict__ x, float* __restrict__ out, int C, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[i] * sd_scale[i % C] + sd_shift[i % C];
}
extern "C" void standardise(const float* x, float* out, int R, int C, cudaStream_t stream) {
    int rows = (R + 127) / 128, strips = (R + rows - 1) / rows;
    sd_strip<<<dim3((C + 31) / 32, strips), dim3(32, 8), 0, stream>>>(x, R, C, rows);
    sd_join<<<(C + 63) / 64, 64, 0, stream>>>(x, R, C, strips);
    sd_apply<<<(R * C + 255) / 256, 256, 0, stream>>>(x, out, C, R * C);
}
