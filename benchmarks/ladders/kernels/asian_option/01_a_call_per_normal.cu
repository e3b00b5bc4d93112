// kernelwright: task=../../tasks/asian_option.py entry=asian args="start, out, start.shape[0]"
// a thread a path; the generator and Box and Muller's formula are called again for each step
#include <cuda_runtime.h>

__device__ uint4 ao_philox(unsigned step, unsigned path) {
    uint4 c = make_uint4(step, path, 0, 0);
    unsigned k0 = 20240607u, k1 = 0;
    for (int i = 0; i < 10; ++i) {
        unsigned h0 = __umulhi(c.x, 0xD2511F53u), l0 = c.x * 0xD2511F53u, h1 = __umulhi(c.z, 0xCD9E8D57u), l1 = c.z * 0xCD9E8D57u;
        c = make_uint4(h1 ^ c.y ^ k0, l1, h0 ^ c.w ^ k1, l0);
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return c;
}
__device__ float ao_normal(unsigned step, unsigned path) {
    uint4 c = ao_philox(step / 4, path);
    float u = ((step & 2) ? c.z : c.x) * 2.3283064e-10f + 1.1641532e-10f, v = ((step & 2) ? c.w : c.y) * 2.3283064e-10f + 1.1641532e-10f;
    float r = sqrtf(-2.0f * logf(u));
    return (step & 1) ? r * sinf(6.2831853f * v) : r * cosf(6.2831853f * v);
}
__global__ void ao_one(const float* start, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = start[i], sum = 0.0f;
    for (int step = 0; step < 64; ++step) {
        s *= expf(0.0002f + 0.025f * ao_normal(step, i));
        sum += s;
    }
    out[i] = fmaxf(sum / 64.0f - 100.0f, 0.0f);
}
extern "C" void asian(const float* start, float* out, int n, cudaStream_t stream) {
    ao_one<<<(n + 255) / 256, 256, 0, stream>>>(start, out, n);
}
