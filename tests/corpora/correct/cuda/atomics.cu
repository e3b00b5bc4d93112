#include "../../check.cuh"

__global__ void all(int* i, unsigned* u, unsigned long long* l, float* f, double* d) {
  int t = threadIdx.x;
  atomicAdd(&i[0], t);
  atomicSub(&i[1], t);
  atomicMax(&i[2], t * 3 % 64);
  atomicMin(&i[3], -t);
  atomicAnd(&u[0], ~(1u << (t % 8)));
  atomicOr(&u[1], 1u << (t % 16));
  atomicXor(&u[2], 1u << (t % 32));
  atomicInc(&u[3], 10);
  atomicAdd(l, (unsigned long long)t);
  atomicAdd(f, 0.5f);
  atomicAdd(d, 0.25);
  int seen = i[4 + t % 2], assumed;
  do {
    assumed = seen;
    seen = atomicCAS(&i[4 + t % 2], assumed, assumed + 2);
  } while (seen != assumed);
}

int main() {
  Device<int> i(std::vector<int>(6, 0));
  Device<unsigned> u(std::vector<unsigned>{0xffffffffu, 0, 0, 0});
  Device<unsigned long long> l(std::vector<unsigned long long>{1ull << 40});
  Device<float> f(std::vector<float>{0});
  Device<double> d(std::vector<double>{0});
  all<<<1, 64>>>(i.data, u.data, l.data, f.data, d.data);
  auto hi = i.host();
  auto hu = u.host();
  REQUIRE(hi[0] == 2016 && hi[1] == -2016 && hi[2] == 63 && hi[3] == -63 && hi[4] == 64 && hi[5] == 64);
  REQUIRE(hu[0] == 0xffffff00u && hu[1] == 0xffffu && hu[2] == 0 && hu[3] == 64 % 11);
  REQUIRE(l.host()[0] == (1ull << 40) + 2016 && f.host()[0] == 32 && d.host()[0] == 16);
  return 0;
}
