// kernelwright: task=../double.py entry=doubled

// An absolute path in a comment: #include "/etc/hostname"
#include "../HACK_INCLUDE/twice.cuh"

static const char* path = "/usr/include/stdio.h";

void doubled(const float* x, float* y, int n) { twice<<<(n + 255) / 256, 256>>>(x, y, path ? n : 0); }
