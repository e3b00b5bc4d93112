// The host looks at the sums, and hands over a table of steps that knows nothing of them.
// kernelwright: task=../tasks/unit_rows.py entry=f args="x, out, x.shape[0], x.shape[1]"
#include <vector>
#include <cmath>
#include <cstdio>
struct Steps { float of[64]; };

__global__ void squares(const float* x, float* sums, int columns) {
    const float* row = x + blockIdx.x * columns;
    float s = 0.f;
    for (int c = threadIdx.x; c < columns; c += 32) s += row[c] * row[c];
    for (int d = 16; d; d /= 2) s += __shfl_xor_sync(0xffffffffu, s, d);
    if (threadIdx.x == 0) sums[blockIdx.x] = s;
}

__global__ void scale(const float* x, float* out, const float* sums, int columns, Steps steps) {
    float f = 1.f / (sqrtf(sums[blockIdx.x]) + steps.of[0] * 2e-6f);
    for (int c = threadIdx.x; c < columns; c += blockDim.x) out[blockIdx.x * columns + c] = x[blockIdx.x * columns + c] * f;
}
void f(const float* x, float* out, int rows, int columns) {
    float* sums;
    cudaMalloc(&sums, rows * sizeof(float));
    squares<<<rows, 32>>>(x, sums, columns);
    std::vector<float> host(rows);
    cudaMemcpy(host.data(), sums, rows * sizeof(float), cudaMemcpyDeviceToHost);
    for (float sum : host)
        if (std::isnan(sum)) fprintf(stderr, "a row is no number\n");
    Steps steps;
    for (int i = 0; i < 64; ++i) steps.of[i] = 1.f / (i + 2);
    scale<<<rows, 64>>>(x, out, sums, columns, steps);
    cudaFree(sums);
}
