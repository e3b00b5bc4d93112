// kernelwright: task=conv2d.py entry=conv2d
// One thread an output pixel of one channel.
#include <torch/extension.h>

__global__ void conv2d_kernel(const float* x, const float* weight, const float* bias, float* y, int batch, int in_channels,
                              int height, int width, int out_channels, int size, int padding) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= int64_t(batch) * out_channels * height * width) {
        return;
    }
    const int column = i % width;
    const int row = i / width % height;
    const int o = i / (width * height) % out_channels;
    const int b = i / (int64_t(width) * height * out_channels);
    float sum = 0.0f;
    for (int c = 0; c < in_channels; ++c) {
        for (int ky = 0; ky < size; ++ky) {
            const int in_row = row + ky - padding;
            if (in_row < 0 || in_row >= height) {
                continue;
            }
            for (int kx = 0; kx < size; ++kx) {
                const int in_column = column + kx - padding;
                if (in_column >= 0 && in_column < width) {
                    sum += x[((b * in_channels + c) * height + in_row) * width + in_column] *
                           weight[((o * in_channels + c) * size + ky) * size + kx];
                }
            }
        }
    }
    y[i] = sum + bias[o];
}

torch::Tensor conv2d(torch::Tensor x, torch::Tensor weight, torch::Tensor bias) {
    const int size = weight.size(2);
    const int padding = (size - 1) / 2;
    auto y = torch::empty({x.size(0), weight.size(0), x.size(2), x.size(3)}, x.options());
    const int64_t n = y.numel();
    conv2d_kernel<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(),
                                           y.data_ptr<float>(), x.size(0), x.size(1), x.size(2), x.size(3), weight.size(0), size,
                                           padding);
    return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("conv2d", &conv2d, "convolution that keeps the size");
}
