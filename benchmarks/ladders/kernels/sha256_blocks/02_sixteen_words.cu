// kernelwright: task=../../tasks/sha256_blocks.py entry=sha256 args="x, out, x.shape[0]"
// the last sixteen words in registers, all rounds unrolled, constants in the instructions, vector loads and stores
#include <cuda_runtime.h>

__device__ __forceinline__ unsigned h2_turn(unsigned v, int n) { return __funnelshift_r(v, v, n); }

__global__ void __launch_bounds__(128) h2_block(const int4* __restrict__ x, int4* __restrict__ out, int n) {
    constexpr unsigned k[64] = {
    0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u, 0x923f82a4u, 0xab1c5ed5u,
    0xd807aa98u, 0x12835b01u, 0x243185beu, 0x550c7dc3u, 0x72be5d74u, 0x80deb1feu, 0x9bdc06a7u, 0xc19bf174u,
    0xe49b69c1u, 0xefbe4786u, 0x0fc19dc6u, 0x240ca1ccu, 0x2de92c6fu, 0x4a7484aau, 0x5cb0a9dcu, 0x76f988dau,
    0x983e5152u, 0xa831c66du, 0xb00327c8u, 0xbf597fc7u, 0xc6e00bf3u, 0xd5a79147u, 0x06ca6351u, 0x14292967u,
    0x27b70a85u, 0x2e1b2138u, 0x4d2c6dfcu, 0x53380d13u, 0x650a7354u, 0x766a0abbu, 0x81c2c92eu, 0x92722c85u,
    0xa2bfe8a1u, 0xa81a664bu, 0xc24b8b70u, 0xc76c51a3u, 0xd192e819u, 0xd6990624u, 0xf40e3585u, 0x106aa070u,
    0x19a4c116u, 0x1e376c08u, 0x2748774cu, 0x34b0bcb5u, 0x391c0cb3u, 0x4ed8aa4au, 0x5b9cca4fu, 0x682e6ff3u,
    0x748f82eeu, 0x78a5636fu, 0x84c87814u, 0x8cc70208u, 0x90befffau, 0xa4506cebu, 0xbef9a3f7u, 0xc67178f2u,
    };
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n) return;
    unsigned w[16], a = 0x6a09e667u, b = 0xbb67ae85u, c = 0x3c6ef372u, d = 0xa54ff53au, e = 0x510e527fu, f = 0x9b05688cu, g = 0x1f83d9abu, h = 0x5be0cd19u;
#pragma unroll
    for (int q = 0; q < 4; ++q) {
        int4 v = x[i * 4 + q];
        w[q * 4] = v.x;
        w[q * 4 + 1] = v.y;
        w[q * 4 + 2] = v.z;
        w[q * 4 + 3] = v.w;
    }
#pragma unroll
    for (int t = 0; t < 64; ++t) {
        if (t >= 16) {
            unsigned p = w[(t + 1) % 16], q = w[(t + 14) % 16];
            w[t % 16] += (h2_turn(p, 7) ^ h2_turn(p, 18) ^ p >> 3) + w[(t + 9) % 16] + (h2_turn(q, 17) ^ h2_turn(q, 19) ^ q >> 10);
        }
        unsigned t1 = h + (h2_turn(e, 6) ^ h2_turn(e, 11) ^ h2_turn(e, 25)) + (g ^ (e & (f ^ g))) + k[t] + w[t % 16];
        unsigned t2 = (h2_turn(a, 2) ^ h2_turn(a, 13) ^ h2_turn(a, 22)) + ((a & b) | (c & (a | b)));
        h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    out[i * 2] = make_int4(a + 0x6a09e667u, b + 0xbb67ae85u, c + 0x3c6ef372u, d + 0xa54ff53au);
    out[i * 2 + 1] = make_int4(e + 0x510e527fu, f + 0x9b05688cu, g + 0x1f83d9abu, h + 0x5be0cd19u);
}
extern "C" void sha256(const int* x, int* out, int n, cudaStream_t stream) {
    h2_block<<<(n + 127) / 128, 128, 0, stream>>>((const int4*)x, (int4*)out, n);
}
