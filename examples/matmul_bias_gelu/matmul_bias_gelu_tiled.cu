// kernelwright: task=matmul_bias_gelu.py entry=linear_gelu \
//     args="x, linear.weight, linear.bias, out, x.shape[0], x.shape[1], out.shape[1]"
// Each thread computes a THREAD x THREAD patch of a TILE x TILE tile from shared memory; bias and GELU in the epilogue.
#include <cuda_runtime.h>

__device__ __forceinline__ float gelu(float v) {
    return 0.5f * v * (1.0f + erff(v * 0.7071067811865476f));
}

template <int TILE, int DEPTH, int THREAD>
__global__ void __launch_bounds__((TILE / THREAD) * (TILE / THREAD))
    linear_gelu_kernel(const float* __restrict__ x, const float* __restrict__ weight, const float* __restrict__ bias,
                       float* __restrict__ y, int batch, int in_features, int out_features) {
    constexpr int SIDE = TILE / THREAD;
    __shared__ float x_tile[DEPTH][TILE + 1];
    __shared__ float w_tile[DEPTH][TILE + 1];
    const int thread = threadIdx.y * SIDE + threadIdx.x;
    const int first_row = blockIdx.y * TILE, first_out = blockIdx.x * TILE;
    float sum[THREAD][THREAD] = {};

    for (int k0 = 0; k0 < in_features; k0 += DEPTH) {
        for (int i = thread; i < TILE * DEPTH; i += SIDE * SIDE) {
            const int line = i / DEPTH, k = i % DEPTH;
            const bool inside = k0 + k < in_features;
            const int row = first_row + line, o = first_out + line;
            x_tile[k][line] = inside && row < batch ? x[row * in_features + k0 + k] : 0.0f;
            w_tile[k][line] = inside && o < out_features ? weight[o * in_features + k0 + k] : 0.0f;
        }
        __syncthreads();
        for (int k = 0; k < DEPTH; ++k) {
            float xs[THREAD], ws[THREAD];
#pragma unroll
            for (int i = 0; i < THREAD; ++i) {
                xs[i] = x_tile[k][threadIdx.y + i * SIDE];
                ws[i] = w_tile[k][threadIdx.x + i * SIDE];
            }
#pragma unroll
            for (int i = 0; i < THREAD; ++i) {
#pragma unroll
                for (int j = 0; j < THREAD; ++j) {
                    sum[i][j] += xs[i] * ws[j];
                }
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < THREAD; ++i) {
        const int row = first_row + threadIdx.y + i * SIDE;
#pragma unroll
        for (int j = 0; j < THREAD; ++j) {
            const int o = first_out + threadIdx.x + j * SIDE;
            if (row < batch && o < out_features) {
                y[row * out_features + o] = gelu(sum[i][j] + bias[o]);
            }
        }
    }
}

void linear_gelu(const float* x, const float* weight, const float* bias, float* y, int batch, int in_features, int out_features) {
    constexpr int tile = 64, depth = 16, thread = 4;
    const dim3 grid((out_features + tile - 1) / tile, (batch + tile - 1) / tile);
    linear_gelu_kernel<tile, depth, thread>
        <<<grid, dim3(tile / thread, tile / thread)>>>(x, weight, bias, y, batch, in_features, out_features);
}
