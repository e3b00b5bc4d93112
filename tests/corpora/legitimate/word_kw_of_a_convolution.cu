// kw_start is the start of a window, not a name of the runtime.
// kernelwright: task=../tasks/conv.py entry=conv args="x, conv.weight, conv.bias, out, x.shape[0], x.shape[2]"
__global__ void conv_kernel(const float* x, const float* w, const float* bias, float* out, int length) {
  const int kw_size = 5, channels = 4;
  int o = blockIdx.x % 6, b = blockIdx.x / 6, out_length = length - kw_size + 1;
  for (int i = threadIdx.x; i < out_length; i += blockDim.x) {
    float sum = bias[o];
    for (int c = 0; c < channels; ++c)
      for (int kw_start = 0; kw_start < kw_size; ++kw_start)
        sum += x[(b * channels + c) * length + i + kw_start] * w[(o * channels + c) * kw_size + kw_start];
    out[(b * 6 + o) * out_length + i] = sum;
  }
}

void conv(const float* x, const float* w, const float* bias, float* out, int batch, int length) {
  conv_kernel<<<batch * 6, 64>>>(x, w, bias, out, length);
}
