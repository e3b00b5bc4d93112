// kernelwright: task=conv2d.py entry=conv2d
#include <torch/extension.h>

torch::Tensor conv2d(torch::Tensor x, torch::Tensor weight, torch::Tensor bias) {}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("conv2d", &conv2d, "convolution that keeps the size");
}
