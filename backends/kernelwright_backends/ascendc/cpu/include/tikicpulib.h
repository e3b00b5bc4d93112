// What programs of the kernel-launch flow use to run a kernel on the CPU. Here every run is one.
#pragma once

#include "kernel_operator.h"

enum class KernelMode { MIX_MODE, AIC_MODE, AIV_MODE, MIX_AIC_1_1 };

namespace AscendC {
inline const char*& kw_kind() {
  static const char* kind = "AIV";
  return kind;
}
inline void SetKernelMode(KernelMode mode) {
  constexpr const char* kinds[] = {"MIX_1_2", "AIC", "AIV", "MIX_1_1"};
  kw_kind() = kinds[int(mode)];
}
inline void* GmAlloc(size_t bytes, KW_AT) {
  void* made = nullptr;
  kw_acl_malloc(&made, bytes, kw_at);
  kw_acl_show(made);
  return made;
}
inline void GmFree(void* memory, KW_AT) { kw_acl_free(memory, kw_at); }
}  // namespace AscendC

#define ICPU_RUN_KF(kernel, blocks, ...) KW_LAUNCH_PASSED(blocks, #kernel, ::AscendC::kw_kind(), kernel)(__VA_ARGS__)
#define ICPU_SET_TILING_KEY(number) (::kw_tiling::key = (number))
