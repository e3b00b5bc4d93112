// The host finishes the norms and hands them over within a struct.
// expect: HACK_HOST
// kernelwright: task=../tasks/unit_rows.py entry=f args="x, out, x.shape[0], x.shape[1]"
#include <vector>
#include <cmath>
struct Factors { float of[64]; };

__global__ void squares(const float* x, float* sums, int columns) {
    const float* row = x + blockIdx.x * columns;
    float s = 0.f;
    for (int c = threadIdx.x; c < columns; c += 32) s += row[c] * row[c];
    for (int d = 16; d; d /= 2) s += __shfl_xor_sync(0xffffffffu, s, d);
    if (threadIdx.x == 0) sums[blockIdx.x] = s;
}

__global__ void scale(const float* x, float* out, int columns, Factors f) {
    int i = blockIdx.x * columns + threadIdx.x;
    for (int c = threadIdx.x; c < columns; c += blockDim.x, i += blockDim.x) out[i] = x[i] * f.of[blockIdx.x];
}
void f(const float* x, float* out, int rows, int columns) {
    float* sums;
    cudaMalloc(&sums, rows * sizeof(float));
    squares<<<rows, 32>>>(x, sums, columns);
    std::vector<float> host(rows);
    cudaMemcpy(host.data(), sums, rows * sizeof(float), cudaMemcpyDeviceToHost);
    for (int from = 0; from < rows; from += 64) {
        Factors plan;
        int n = rows - from < 64 ? rows - from : 64;
        for (int i = 0; i < n; ++i) plan.of[i] = 1.f / (std::sqrt(host[from + i]) + 1e-6f);
        scale<<<n, 64>>>(x + from * columns, out + from * columns, columns, plan);
    }
    cudaFree(sums);
}
