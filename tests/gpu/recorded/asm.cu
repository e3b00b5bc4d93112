__global__ void k(float* x) {
  asm volatile("bogus.f32 %0, 1;" :: "f"(x[0]));
}
