// How often shared memory has to serve one request of a warp, by the width and the pattern of its addresses, and what passes by
// it: one block of one warp a kernel, counted by Nsight Compute (wavefronts.py). A kernel without the request comes first.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstdio>

struct __align__(16) Quad {
    float x, y, z, w;
};

// As in tests/backends/cuda_cost/single/shared.cu.
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

__global__ void nothing(float* out) { out[threadIdx.x] = threadIdx.x; }

template <class T>
__global__ void load(float* out, int pattern) {
    extern __shared__ __align__(16) char memory[];
    out[threadIdx.x] = sum(((const T*)memory)[place(pattern, threadIdx.x)]);
}

template <class T>
__global__ void store(float* out, int pattern) {
    extern __shared__ __align__(16) char memory[];
    ((T*)memory)[place(pattern, threadIdx.x)] = T{};
    out[threadIdx.x] = threadIdx.x;
}

// Under a condition that holds for no lane; the compiler makes no branch of it.
__global__ void idle_load(float* out, int below) {
    extern __shared__ __align__(16) char memory[];
    float v = threadIdx.x;
    if ((int)threadIdx.x < below) v += ((float*)memory)[threadIdx.x];
    out[threadIdx.x] = v;
}

__global__ void idle_global_load(float* out, const float* in, int below) {
    float v = threadIdx.x;
    if ((int)threadIdx.x < below) v += in[threadIdx.x];
    out[threadIdx.x] = v;
}

template <int bytes>
__global__ void asynchronous(float* out, const float* in) {
    extern __shared__ __align__(16) char memory[];
    __pipeline_memcpy_async(memory + threadIdx.x * bytes, (const char*)in + threadIdx.x * bytes, bytes);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = threadIdx.x;
}

__global__ void shuffle(float* out) { out[threadIdx.x] = __shfl_xor_sync(~0u, (float)threadIdx.x, 1); }
__global__ void vote(float* out, int n) { out[threadIdx.x] = __ballot_sync(~0u, (int)threadIdx.x < n); }
__global__ void reduction(float* out) { out[threadIdx.x] = __reduce_add_sync(~0u, threadIdx.x); }

__global__ void matrices(float* out, int row) {
    extern __shared__ __align__(16) char memory[];
    unsigned x, y, z, w;
    unsigned from = (unsigned)__cvta_generic_to_shared(memory + threadIdx.x * row);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(from));
    out[threadIdx.x] = x + y + z + w;
}

int main() {
    float *out, *in;
    cudaMalloc(&out, 4096);
    cudaMalloc(&in, 4096);
    const int bytes = 8192;
    nothing<<<1, 32>>>(out);
    for (int pattern = 0; pattern < 15; ++pattern) {
        load<float><<<1, 32, bytes>>>(out, pattern);
        load<float2><<<1, 32, bytes>>>(out, pattern);
        load<Quad><<<1, 32, bytes>>>(out, pattern);
        store<float><<<1, 32, bytes>>>(out, pattern);
        store<float2><<<1, 32, bytes>>>(out, pattern);
        store<Quad><<<1, 32, bytes>>>(out, pattern);
    }
    idle_load<<<1, 32, bytes>>>(out, 0);
    idle_global_load<<<1, 32>>>(out, in, 0);
    asynchronous<4><<<1, 32, bytes>>>(out, in);
    asynchronous<8><<<1, 32, bytes>>>(out, in);
    asynchronous<16><<<1, 32, bytes>>>(out, in);
    shuffle<<<1, 32>>>(out);
    vote<<<1, 32>>>(out, 7);
    reduction<<<1, 32>>>(out);
    matrices<<<1, 32, bytes>>>(out, 16);
    matrices<<<1, 32, bytes>>>(out, 80);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
