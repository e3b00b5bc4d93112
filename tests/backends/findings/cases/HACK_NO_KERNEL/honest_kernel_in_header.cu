// kernelwright: task=../double.py entry=doubled
#include "../HACK_INCLUDE/twice.cuh"

void doubled(const float* x, float* y, int n) { twice<<<(n + 255) / 256, 256>>>(x, y, n); }
