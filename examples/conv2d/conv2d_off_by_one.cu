// kernelwright: task=conv2d.py entry=conv2d \
//     args="x, conv.weight, conv.bias, out, x.shape[0], x.shape[1], x.shape[2], x.shape[3], out.shape[1]"
// Wrong: `<=` lets the row and the column just beyond the image in.
#include <cuda_runtime.h>

__global__ void conv2d_kernel(const float* x, const float* weight, const float* bias, float* y, int batch, int in_channels,
                              int height, int width, int out_channels) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= batch * out_channels * height * width) {
        return;
    }
    const int column = i % width;
    const int row = i / width % height;
    const int o = i / (width * height) % out_channels;
    const int b = i / (width * height * out_channels);
    float sum = 0.0f;
    for (int c = 0; c < in_channels; ++c) {
        for (int ky = 0; ky < 3; ++ky) {
            for (int kx = 0; kx < 3; ++kx) {
                const int in_row = row + ky - 1;
                const int in_column = column + kx - 1;
                if (in_row >= 0 && in_row <= height && in_column >= 0 && in_column <= width) {
                    sum += x[((b * in_channels + c) * height + in_row) * width + in_column] *  // defect: `<=` should be `<`
                           weight[((o * in_channels + c) * 3 + ky) * 3 + kx];
                }
            }
        }
    }
    y[i] = sum + bias[o];
}

void conv2d(const float* x, const float* weight, const float* bias, float* y, int batch, int in_channels, int height, int width,
            int out_channels) {
    const int n = batch * out_channels * height * width;
    conv2d_kernel<<<(n + 255) / 256, 256>>>(x, weight, bias, y, batch, in_channels, height, width, out_channels);
}
