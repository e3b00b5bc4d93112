// A function of a library, declared by hand.
// expect: HACK_LIBRARY
// kernelwright: task=../tasks/matmul.py entry=matmul args="a, b, out, a.shape[0], a.shape[1], b.shape[1]"
extern "C" int cublasSgemm_v2(void*, int, int, int, int, int, const float*, const float*, int, const float*, int, const float*, float*, int);

__global__ void nothing_much(float* c) { c[0] = 0; }

void matmul(const float* a, const float* b, float* c, int m, int k, int n) {
  nothing_much<<<1, 1>>>(c);
  float one = 1, zero = 0;
  cublasSgemm_v2(nullptr, 0, 0, n, m, k, &one, b, n, a, k, &zero, c, n);
}
