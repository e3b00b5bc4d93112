// kernelwright: task=../../tasks/sha256_blocks.py entry=sha256 args="x, out, x.shape[0]"
// a thread a block, the 64 words of the schedule in an array, the constants in constant memory
#include <cuda_runtime.h>

__constant__ unsigned h1_k[64] = {
    0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u, 0x923f82a4u, 0xab1c5ed5u,
    0xd807aa98u, 0x12835b01u, 0x243185beu, 0x550c7dc3u, 0x72be5d74u, 0x80deb1feu, 0x9bdc06a7u, 0xc19bf174u,
    0xe49b69c1u, 0xefbe4786u, 0x0fc19dc6u, 0x240ca1ccu, 0x2de92c6fu, 0x4a7484aau, 0x5cb0a9dcu, 0x76f988dau,
    0x983e5152u, 0xa831c66du, 0xb00327c8u, 0xbf597fc7u, 0xc6e00bf3u, 0xd5a79147u, 0x06ca6351u, 0x14292967u,
    0x27b70a85u, 0x2e1b2138u, 0x4d2c6dfcu, 0x53380d13u, 0x650a7354u, 0x766a0abbu, 0x81c2c92eu, 0x92722c85u,
    0xa2bfe8a1u, 0xa81a664bu, 0xc24b8b70u, 0xc76c51a3u, 0xd192e819u, 0xd6990624u, 0xf40e3585u, 0x106aa070u,
    0x19a4c116u, 0x1e376c08u, 0x2748774cu, 0x34b0bcb5u, 0x391c0cb3u, 0x4ed8aa4au, 0x5b9cca4fu, 0x682e6ff3u,
    0x748f82eeu, 0x78a5636fu, 0x84c87814u, 0x8cc70208u, 0x90befffau, 0xa4506cebu, 0xbef9a3f7u, 0xc67178f2u,
};

__device__ __forceinline__ unsigned h1_turn(unsigned v, int n) { return v >> n | v << (32 - n); }

__global__ void h1_block(const int* x, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned w[64], s[8] = {0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au, 0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u};
    for (int t = 0; t < 16; ++t) w[t] = x[i * 16 + t];
    for (int t = 16; t < 64; ++t) {
        unsigned p = w[t - 15], q = w[t - 2];
        w[t] = w[t - 16] + (h1_turn(p, 7) ^ h1_turn(p, 18) ^ p >> 3) + w[t - 7] + (h1_turn(q, 17) ^ h1_turn(q, 19) ^ q >> 10);
    }
    unsigned a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6], h = s[7];
#pragma unroll 1
    for (int t = 0; t < 64; ++t) {
        unsigned t1 = h + (h1_turn(e, 6) ^ h1_turn(e, 11) ^ h1_turn(e, 25)) + ((e & f) ^ (~e & g)) + h1_k[t] + w[t];
        unsigned t2 = (h1_turn(a, 2) ^ h1_turn(a, 13) ^ h1_turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    unsigned r[8] = {a, b, c, d, e, f, g, h};
    for (int k = 0; k < 8; ++k) out[i * 8 + k] = r[k] + s[k];
}
extern "C" void sha256(const int* x, int* out, int n, cudaStream_t stream) {
    h1_block<<<(n + 127) / 128, 128, 0, stream>>>(x, out, n);
}
