// kernelwright: task=../../tasks/edit_distance.py entry=edit_distance args="a, b, out, a.shape[0]"
// a thread a pair, the differences of a column as bits of two words of 64
#include <cuda_runtime.h>

__global__ void __launch_bounds__(64) ed_bits(const uint4* __restrict__ a, const uint4* __restrict__ b, int* __restrict__ out, int pairs) {
    typedef unsigned long long word;
    int p = blockIdx.x * 64 + threadIdx.x;
    if (p >= pairs) return;
    word low = 0, high = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        uint4 v = a[p * 4 + k];
        const unsigned u[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int j = 0; j < 16; ++j) {
            unsigned letter = u[j / 4] >> j % 4 * 8 & 3;
            low |= (word)(letter & 1) << (16 * k + j);
            high |= (word)(letter >> 1) << (16 * k + j);
        }
    }
    word plus = ~0ull, minus = 0;
    int score = 64;
    for (int k = 0; k < 4; ++k) {
        uint4 v = b[p * 4 + k];
        const unsigned u[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int j = 0; j < 16; ++j) {
            unsigned letter = u[j / 4] >> j % 4 * 8 & 3;
            word equal = ~((low ^ (letter & 1 ? ~0ull : 0ull)) | (high ^ (letter & 2 ? ~0ull : 0ull)));
            word vertical = equal | minus, across = (((equal & plus) + plus) ^ plus) | equal;
            word up = minus | ~(across | plus), down = plus & across;
            score += (int)(up >> 63) - (int)(down >> 63);
            up = up << 1 | 1;
            down <<= 1;
            plus = down | ~(vertical | up);
            minus = up & vertical;
        }
    }
    out[p] = score;
}
extern "C" void edit_distance(const signed char* a, const signed char* b, int* out, int pairs, cudaStream_t stream) {
    ed_bits<<<(pairs + 63) / 64, 64, 0, stream>>>((const uint4*)a, (const uint4*)b, out, pairs);
}
