// kernelwright: task=../../tasks/standardise_columns.py entry=standardise args="x, out, x.shape[0], x.shape[1]"
// as before, the last launch in float4 with its columns kept by a thread; C a multiple of 2 at least, else one by one
#include <cuda_runtime.h>

__device__ float sd_part[2][128 * 4096];
__device__ float4 sd_scale4[1024], sd_shift4[1024];

__global__ void __launch_bounds__(256) sd_strip(const float* __restrict__ x, int R, int C, int rows) {
    __shared__ float ss[8][32], qs[8][32];
    int c = blockIdx.x * 32 + threadIdx.x, r0 = blockIdx.y * rows, end = min(R, r0 + rows);
    float s = 0.f, q = 0.f;
    if (c < C) {
        float first = x[c];
#pragma unroll 8
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
    int c = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (c >= C) return;
    float s = 0.f, q = 0.f;
    for (int i = lane; i < strips; i += 32) {
        s += sd_part[0][i * C + c];
        q += sd_part[1][i * C + c];
    }
    for (int o = 16; o; o >>= 1) {
        s += __shfl_xor_sync(~0u, s, o);
        q += __shfl_xor_sync(~0u, q, o);
    }
    if (lane) return;
    s /= R;
    float inv = rsqrtf(fmaxf(q / R - s * s, 0.f) + 1e-6f);
    ((float*)sd_scale4)[c] = inv;
    ((float*)sd_shift4)[c] = -(x[c] + s) * inv;
}
__global__ void sd_apply(const float* __restrict__ x, float* __restrict__ out, int R, int C) {
    if (C % 4) {
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < R * C; i += gridDim.x * blockDim.x)
            out[i] = x[i] * ((float*)sd_scale4)[i % C] + ((float*)sd_shift4)[i % C];
        return;
    }
    int C4 = C / 4, c = threadIdx.x % C4, step = blockDim.x / C4;
    if (threadIdx.x >= step * C4) return;
    float4 a = sd_scale4[c], b = sd_shift4[c];
#pragma unroll 2
    for (int r = blockIdx.x * step + threadIdx.x / C4; r < R; r += gridDim.x * step) {
        float4 v = ((const float4*)x)[r * C4 + c];
        ((float4*)out)[r * C4 + c] = make_float4(v.x * a.x + b.x, v.y * a.y + b.y, v.z * a.z + b.z, v.w * a.w + b.w);
    }
}
extern "C" void standardise(const float* x, float* out, int R, int C, cudaStream_t stream) {
    int rows = (R + 127) / 128, strips = (R + rows - 1) / rows;
    sd_strip<<<dim3((C + 31) / 32, strips), dim3(32, 8), 0, stream>>>(x, R, C, rows);
    sd_join<<<(C + 3) / 4, 128, 0, stream>>>(x, R, C, strips);
    sd_apply<<<1056, 300, 0, stream>>>(x, out, R, C);
}
