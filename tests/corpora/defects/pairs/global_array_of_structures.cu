#include "../../pair.cuh"

struct Particle {
  float3 position;
  int kind;
};

__global__ void move(Particle* particles, int* kinds, int n) {
  int i = threadIdx.x;
  if (i >= n) return;
  Particle* mine = particles + i;
#ifdef DEFECT
  ++mine;
#endif
  mine->position.z += 1.0f;   // expect: MEM_OUT_OF_BOUNDS
  kinds[i] = i;
}

int main() {
  Device<Particle> particles(std::vector<Particle>(48));
  Device<int> kinds(48);
  move<<<1, 64>>>(particles.data, kinds.data, 48);
  REQUIRE(particles.host()[47].position.z == 1);
  return 0;
}
