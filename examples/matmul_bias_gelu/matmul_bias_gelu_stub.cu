// kernelwright: task=matmul_bias_gelu.py entry=linear_gelu
#include <torch/extension.h>

torch::Tensor linear_gelu(torch::Tensor x, torch::Tensor weight, torch::Tensor bias) {
    // gelu(x W^T + b)
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("linear_gelu", &linear_gelu, "gelu(x W^T + b)");
}
