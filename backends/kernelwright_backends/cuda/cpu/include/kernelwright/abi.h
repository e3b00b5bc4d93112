// The wall between a candidate's object and the runtime that executes it: plain C, resolved when the object is loaded.
//
// Functions that a kernel calls and whose place matters to a finding are declared under the runtime's name by an asm
// label (device.h), so that the return address they see lies on the user's own line.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- launches -------------------------------------------------------------------------------------------------------

struct kw_extent {
  unsigned int x, y, z;
};

struct kw_launch_config {
  struct kw_extent grid, block;
  size_t shared_bytes;
  void* stream;
  const char* kernel;     // as the launch spells it
  size_t argument_bytes;  // of what `body` reads
  const void* site;       // of the launch
};

// Runs `body(argument)` once for every thread of the grid, before it returns. `function` identifies the kernel: `body`
// itself where the call deduces the instantiation.
void kw_launch(const struct kw_launch_config* config, const void* function, void (*body)(void*), void* argument);

// A launch whose arguments are being evaluated.
struct kw_pending_launch {
  struct kw_launch_config config;
  void (*kernel)(void);
};
void kw_push_launch(const struct kw_launch_config* config, void (*kernel)(void));
const struct kw_pending_launch* kw_pop_launch(void);  // valid until the next push

// ---- shared memory --------------------------------------------------------------------------------------------------

// One `__shared__` declaration of one template instantiation. The runtime fixes `offset` when it is first reached.
struct kw_shared_slot {
  const char* name;
  uint32_t size, align;
  uint32_t offset;  // in the block's arena; 0: not placed yet
  uint32_t launch;  // the launch that touched it last
};

void* kw_shared(struct kw_shared_slot* slot);
void* kw_dynamic_shared(void);

// ---- warp collectives -----------------------------------------------------------------------------------------------

enum kw_collective {
  KW_SYNCWARP,
  KW_SHUFFLE,
  KW_SHUFFLE_UP,
  KW_SHUFFLE_DOWN,
  KW_SHUFFLE_XOR,
  KW_BALLOT,
  KW_ANY,
  KW_ALL,
  KW_MATCH_ANY,
  KW_MATCH_ALL,
  KW_REDUCE_ADD,
  KW_REDUCE_MIN_SIGNED,
  KW_REDUCE_MAX_SIGNED,
  KW_REDUCE_MIN,
  KW_REDUCE_MAX,
  KW_REDUCE_AND,
  KW_REDUCE_OR,
  KW_REDUCE_XOR,
};

// The calling lane's result once every live lane of `mask` has arrived. `operand`: source lane, delta or xor mask.
uint64_t kw_collective(int kind, unsigned mask, uint64_t value, int operand, int width, const void* site);
unsigned kw_activemask(void);

// ---- memory ---------------------------------------------------------------------------------------------------------

// Before an atomic operation of the device's own on `address`: checked like a load and a store that never races with
// another atomic. `site` is the user's return address; floating-point numbers add KW_ATOMIC_REAL to the size.
enum { KW_ATOMIC_REAL = 1 << 16 };
void kw_atomic_access(const void* address, size_t size, const void* site);
// Before a plain access that one of our own (uninstrumented) functions makes for the user.
void kw_access(const void* address, size_t size, int write, const void* site);
void kw_fence(void);

// ---- other ----------------------------------------------------------------------------------------------------------

long long kw_clock(void);
void kw_trap(void) __attribute__((noreturn));
void* kw_device_malloc(size_t bytes);
void kw_device_free(void* address);

// ---- the entry ------------------------------------------------------------------------------------------------------

struct kw_argument {
  void* pointer;  // tensor, workspace
  int64_t integer;
  double real;
  int is_real;
  const void* tensor;  // kw_tensor of a `tensor` entry's argument
};

struct kw_call {
  const struct kw_argument* arguments;
  struct kw_launch_config launch;  // of a bare kernel
  void (*returned)(int index, const void* tensor);  // a `tensor` entry hands its kw_tensor results here
};

#ifdef __cplusplus
}
#endif
