// What a load of constant memory costs a processor: by how many words a warp walks through, in how many runs at once, and where
// each place is fixed. One line of JSON for each: `{"kernel", "warps", ..., "clocks"}`, clocks of the processor for a warp's load.
#include <cstdio>
#include <cuda_runtime.h>

__constant__ float table[16384];
__device__ float out;

// RUNS runs of words at once, `step` apart.
template <int RUNS, int UNROLLED> __global__ void walked(long long* clocks, int rounds, int words, int step) {
    float sums[RUNS] = {};
    __syncthreads();
    long long begin = clock64();
    for (int r = 0; r < rounds; ++r)
#pragma unroll UNROLLED
        for (int k = 0; k < words; ++k)
#pragma unroll
            for (int j = 0; j < RUNS; ++j) sums[j] = fmaf(sums[j], 0.5f, table[j * step + k]);
    __syncthreads();
    long long end = clock64();
    float sum = 0;
    for (int j = 0; j < RUNS; ++j) sum += sums[j];
    if (sum == 1e9f) out = sum;
    if (threadIdx.x == 0) clocks[0] = end - begin;
}
// WORDS places, each an instruction's own.
template <int WORDS> __global__ void fixed(long long* clocks, int rounds) {
    float sums[4] = {};
    __syncthreads();
    long long begin = clock64();
#pragma unroll 1
    for (int r = 0; r < rounds; ++r)
#pragma unroll
        for (int k = 0; k < WORDS; ++k) sums[k % 4] = fmaf(sums[k % 4], 0.5f, table[k * 37 % WORDS]);
    __syncthreads();
    long long end = clock64();
    float sum = sums[0] + sums[1] + sums[2] + sums[3];
    if (sum == 1e9f) out = sum;
    if (threadIdx.x == 0) clocks[0] = end - begin;
}

long long* clocks;
const int rounds = 64;

double each(int warps, int words) {
    long long told;
    cudaMemcpy(&told, clocks, sizeof told, cudaMemcpyDeviceToHost);
    return double(told) / (double(rounds) * words * warps);
}
template <int RUNS, int UNROLLED> void walk(int warps, int words, int step) {
    for (int times : {1, rounds}) walked<RUNS, UNROLLED><<<1, 32 * warps>>>(clocks, times, words, step);
    printf("{\"kernel\": \"walked\", \"warps\": %d, \"runs\": %d, \"unrolled\": %d, \"words\": %d, \"step\": %d, \"clocks\": %.3f}\n",
           warps, RUNS, UNROLLED, words, step, each(warps, RUNS * words));
}
template <int WORDS> void fix(int warps) {
    for (int times : {1, rounds}) fixed<WORDS><<<1, 32 * warps>>>(clocks, times);
    printf("{\"kernel\": \"fixed\", \"warps\": %d, \"words\": %d, \"clocks\": %.3f}\n", warps, WORDS, each(warps, WORDS));
}

int main() {
    cudaMalloc(&clocks, sizeof *clocks);
    for (int warps : {1, 4, 8, 32}) {
        for (int words : {64, 256, 1024, 4096, 16384}) walk<1, 4>(warps, words, 0);
        walk<8, 1>(warps, 16, 16);
        walk<8, 7>(warps, 49, 147);
        walk<8, 7>(warps, 147, 147);
        walk<8, 1>(warps, 147, 147);
        walk<4, 1>(warps, 64, 64);
        walk<8, 1>(warps, 64, 64);
        walk<16, 1>(warps, 64, 64);
        walk<8, 1>(warps, 512, 512);
        walk<8, 1>(warps, 1024, 1024);
        fix<64>(warps), fix<256>(warps), fix<512>(warps), fix<1024>(warps), fix<2048>(warps), fix<4096>(warps);
    }
    return cudaDeviceSynchronize() != cudaSuccess;
}
