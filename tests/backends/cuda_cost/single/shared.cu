#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>
using namespace nvcuda;

struct __align__(16) Quad {
    float x, y, z, w;
};

__device__ int place(int pattern, int lane) {
    switch (pattern) {
        case 1: return lane;
        case 2: return lane / 16;
        case 3: return lane % 16;
        case 4: return lane / 8;
        case 5: return lane % 8;
        case 6: return lane / 2;
        case 7: return lane * 2;
        case 8: return lane % 2;
        case 9: return lane / 4;
        case 10: return lane % 16 / 8;
        case 11: return lane % 4;
        case 12: return lane / 16 * 17 + lane % 16;
        case 13: return lane % 8 * 2;
        case 14: return lane / 4 * 9 + lane % 4;
        default: return 0;
    }
}

__device__ float sum(float v) { return v; }
__device__ float sum(float2 v) { return v.x + v.y; }
__device__ float sum(Quad v) { return v.x + v.y + v.z + v.w; }

template <class T>
__global__ void load_pattern(float* out, int pattern) {
    __shared__ T s[80];
    for (int i = threadIdx.x; i < 80; i += 32) s[i] = T{};
    __syncthreads();
    out[threadIdx.x] = sum(s[place(pattern, threadIdx.x)]);
}

template <class T>
__global__ void store_pattern(float* out, int pattern) {
    __shared__ T s[80];
    s[place(pattern, threadIdx.x)] = T{};
    __syncthreads();
    out[threadIdx.x] = threadIdx.x ? 0.f : sum(s[0]);
}

__global__ void neighbours(float* out) {
    __shared__ float s[256];
    for (int i = threadIdx.x; i < 256; i += 32) s[i] = 1.f;
    __syncthreads();
    float v = 0.f;
#pragma unroll 8
    for (int i = 0; i < 256; ++i) v = v * 0.5f + s[i];
    out[threadIdx.x] = v;
}

// Rows of five: the first of each begins anywhere within sixteen bytes.
__global__ void rows_of_five(float* out, const float* x, int rows) {
    __shared__ float s[64][5];
    for (int i = threadIdx.x; i < 320; i += 32) s[i / 5][i % 5] = 1.f;
    __syncthreads();
    float v = 0.f;
    for (int i = 0; i < rows; ++i) {
        int row = (int)x[i];
#pragma unroll
        for (int k = 0; k < 5; ++k) v = v * 0.5f + s[row][k];
    }
    out[threadIdx.x] = v;
}

__global__ void tree(float* out, const float* x) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    for (int n = 128; n; n /= 2) {
        if (t < n) s[t] += s[t + n];
        __syncthreads();
    }
    if (t == 0) out[0] = s[0];
}

__global__ void tree_of_functions(float* out, const float* x) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    for (int n = 128; n; n /= 2) {
        if (t < n) s[t] = expf(s[t]) + logf(s[t + n] + 1.f);
        __syncthreads();
    }
    if (t == 0) out[0] = s[0];
}

template <class T, class Element, int K, int apart>
__global__ void fragments(float* out) {
    __shared__ __align__(32) Element s[16 * apart];
    for (int i = threadIdx.x; i < 16 * apart; i += 32) s[i] = Element(1.f);
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, K, T, wmma::row_major> a;
    wmma::load_matrix_sync(a, s, apart);
    float v = 0.f;
    for (int i = 0; i < a.num_elements; ++i) v += (float)a.x[i];
    out[threadIdx.x] = v;
}

__global__ void votes(float* out, const float* x) {
    unsigned yes = __ballot_sync(~0u, x[threadIdx.x] > 0.f);
    out[threadIdx.x] = __popc(yes) + __shfl_xor_sync(~0u, x[threadIdx.x], 1);
}

template <int bytes>
__global__ void asynchronous(float* out, const float* x) {
    __shared__ __align__(16) char s[32 * bytes];
    __pipeline_memcpy_async(s + threadIdx.x * bytes, (const char*)x + threadIdx.x * bytes, bytes);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[threadIdx.x] = ((float*)s)[threadIdx.x];
}

extern "C" void run(const float* x, float* out, int which, int pattern) {
    switch (which) {
        case 0: load_pattern<float><<<1, 32>>>(out, pattern); break;
        case 1: load_pattern<float2><<<1, 32>>>(out, pattern); break;
        case 2: load_pattern<Quad><<<1, 32>>>(out, pattern); break;
        case 3: store_pattern<float><<<1, 32>>>(out, pattern); break;
        case 4: store_pattern<float2><<<1, 32>>>(out, pattern); break;
        case 5: store_pattern<Quad><<<1, 32>>>(out, pattern); break;
        case 6: neighbours<<<1, 32>>>(out); break;
        case 7: rows_of_five<<<1, 32>>>(out, x, pattern); break;
        case 8: tree<<<1, 256>>>(out, x); break;
        case 9: tree_of_functions<<<1, 256>>>(out, x); break;
        case 10: fragments<half, half, 16, 24><<<1, 32>>>(out); break;
        case 11: fragments<__nv_bfloat16, __nv_bfloat16, 16, 24><<<1, 32>>>(out); break;
        case 12: fragments<wmma::precision::tf32, float, 8, 20><<<1, 32>>>(out); break;
        case 13: votes<<<1, 32>>>(out, x); break;
        case 14: asynchronous<16><<<1, 32>>>(out, x); break;
        case 15: asynchronous<4><<<1, 32>>>(out, x); break;
    }
}
