#define WIDTH 128
template <class T> __global__ void scaled(const T* x, T* y, int n, int é) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, unused = WIDTH; /* é */ int other = missing + WIDTH;
  if (i < n) y[i] = x[i];
}
template __global__ void scaled<float>(const float*, float*, int, int);
int host(float* x) { int count; scaled<float><<<1, WIDTH>>>(x, x, 1, 1); }
