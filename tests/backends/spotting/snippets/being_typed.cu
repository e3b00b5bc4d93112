__global__ void first(float* x) {
  x[0] = 1;
}
__global__ void broken(float* x, int n) {
  if (n > 0) {
    x[
}
__global__ void second(float* y) {
  y[0] = 2;
}
template <typename T>
__global__ void third(T* z) { z[0] = 3; }
void launch(float* x) { first<<<1, 2>>>(x); second<<<1, 2>>>(x); third<float><<<1, 2>>>(x); }
