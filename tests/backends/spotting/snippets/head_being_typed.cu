__global__ void first(float* x) { x[0] = 1; }
__global__ void broken(float* x,
__global__ void second(float* y) {
  y[0] = 2;
}
void launch(float* x) { first<<<1, 2>>>(x); second<<<1, 2>>>(x); }
