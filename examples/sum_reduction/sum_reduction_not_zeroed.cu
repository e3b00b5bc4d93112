// kernelwright: task=sum_reduction.py entry=sum_rows args="x, out, x.shape[0], x.shape[1], x.shape[2]"
// Wrong: atomicAdd is right, but nobody sets the output to zero first.
#include <cuda_runtime.h>

__global__ void sum_kernel(const float* x, float* y, int rows, int columns, int rows_per_block) {
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= columns) {
        return;
    }
    const float* in = x + (size_t)blockIdx.z * rows * columns + c;
    const int first = blockIdx.y * rows_per_block;
    const int last = min(first + rows_per_block, rows);
    float sum = 0.0f;
    for (int r = first; r < last; ++r) {
        sum += in[(size_t)r * columns];
    }
    atomicAdd(&y[(size_t)blockIdx.z * columns + c], sum);  // defect: y was never set to zero
}

void sum_rows(const float* x, float* y, int batch, int rows, int columns) {
    const int rows_per_block = 64;
    const dim3 grid((columns + 127) / 128, (rows + rows_per_block - 1) / rows_per_block, batch);
    sum_kernel<<<grid, 128>>>(x, y, rows, columns, rows_per_block);
}
