#include "launch.h"

#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../../include/kernelwright/abi.h"
#include "probes/activity.h"
#include "block.h"
#include "clusters.h"
#include "probes/environment.h"
#include "check/findings.h"
#include "check/global_races.h"
#include "cuda_api/graphs.h"
#include "support/device_allocator.h"
#include "check/host_addresses.h"
#include "support/symboliser.h"
#include "probes/observations.h"
#include "cuda_api/deferred_launches.h"
#include "check/shared_races.h"
#include "cuda_api/registered.h"
#include "launch_memoisation.h"
#include "check/sampling.h"
#include "cuda_api/streams.h"
#include "trace/trace.h"
#include "check/undefined.h"

namespace kw {

Chip chip;

namespace {

int last_error = 0;    // told once
int device_error = 0;  // sticky
uint64_t launch_count = 0;
std::map<const void*, size_t> kernel_numbers;  // in the order of their first launches
std::map<const void*, uint64_t> allowed;
std::map<const void*, uint64_t> large_clusters;  // kernels that may have clusters of more than portable size
std::vector<Record*> unchecked;
std::set<Record*> seen;  // refused launches whose error the host asked for

struct Refusal {
  int error;
  std::string why;
};

// What the device checks before it runs anything.
Refusal refuse(const kw_launch_config& config, const void* function) {
  auto text = [](const kw_extent& e) {
    return "(" + std::to_string(e.x) + ", " + std::to_string(e.y) + ", " + std::to_string(e.z) + ")";
  };
  const auto &grid = config.grid, &block = config.block;
  auto threads = uint64_t(block.x) * block.y * block.z;
  if (is_no_stream(config.stream)) return {400, "its stream was destroyed or never created"};
  if (!grid.x || !grid.y || !grid.z) return {9, "the grid " + text(grid) + " has no blocks; round their number up"};
  if (!threads) return {9, "the block " + text(block) + " has no threads"};
  if (grid.x > 2147483647u) return {9, "the grid " + text(grid) + " has more than 2147483647 blocks in x"};
  if (grid.y > 65535 || grid.z > 65535) return {9, "the grid " + text(grid) + " has more than 65535 blocks in y or z"};
  if (threads > chip.threads_per_block)
    return {9, "the block " + text(block) + " has " + std::to_string(threads) + " threads, more than the device's " +
                   std::to_string(chip.threads_per_block) + "; launch more blocks of fewer threads"};
  if (block.x > 1024 || block.y > 1024 || block.z > 64)
    return {9, "the block " + text(block) + " is larger than the (1024, 1024, 64) that the device allows"};
  const auto& cluster = config.cluster;
  if (cluster.x) {
    const auto blocks = cluster_blocks(config);
    const auto most = nonportable_clusters(function) ? kLargestCluster : kPortableCluster;
    if (!blocks || blocks > most || grid.x % cluster.x || grid.y % cluster.y || grid.z % cluster.z)
      return {912, !blocks         ? "the cluster " + text(cluster) + " has no blocks"
                   : blocks > most ? "the cluster " + text(cluster) + " has " + std::to_string(blocks) + " blocks, more than the " + std::to_string(most) + " that the kernel may have"
                                   : "the grid " + text(grid) + " is not a multiple of the cluster " + text(cluster)};
  }
  if (config.most_threads && threads > config.most_threads)
    return {701, "the block " + text(block) + " has " + std::to_string(threads) + " threads, more than the " +
                     std::to_string(config.most_threads) + " of the kernel's __launch_bounds__; launch fewer or raise the bound"};
  if (config.shared_bytes > chip.shared_per_block_optin)
    return {1, "it asks for " + std::to_string(config.shared_bytes) + " bytes of dynamic shared memory, more than the " +
                   std::to_string(chip.shared_per_block_optin) + " that a block may have; use smaller tiles"};
  if (config.shared_bytes > std::max(chip.shared_per_block, allowed_shared(function)))
    return {1, "it asks for " + std::to_string(config.shared_bytes) + " bytes of dynamic shared memory; for more than " +
                   std::to_string(chip.shared_per_block) +
                   ", call cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) first"};
  return {0, ""};
}

}  // namespace

unsigned blocks_on_chip(const kw_launch_config& config) {
  auto threads = config.block.x * config.block.y * config.block.z;
  auto by_shared = unsigned(chip.shared_per_processor / (config.shared_bytes + 1024));
  return std::clamp(std::min(chip.threads_per_processor / threads, by_shared), 1u, chip.blocks_per_processor) * chip.processors;
}

unsigned resident_on_chip(const Launch& what) { return std::min<unsigned>(blocks_on_chip(*what.config), kMaxArenas - 1); }

void set_device_error(int error) { device_error = error; }
void set_launch_error(int error) { last_error = error; }
int take_error() {
  if (device_error) return device_error;
  return std::exchange(last_error, 0);
}
int peek_error() { return device_error ? device_error : last_error; }
int sync_error() { return device_error; }
void note_unchecked(Record& finding) { unchecked.push_back(&finding); }
void note_errors_seen() {
  for (auto* each : unchecked) {
    if (each->kind == Kind::unchecked) each->harmless = true;
    else seen.insert(each);
  }
  unchecked.clear();
}

void allow_nonportable_clusters(const void* function, bool yes) {
  auto& kept = large_clusters[function];
  kept = yes;
  setting_stored(kept);
}
bool nonportable_clusters(const void* function) {
  auto found = large_clusters.find(function);
  return found != large_clusters.end() && found->second;
}

void allow_shared(const void* function, uint64_t bytes) {
  auto& kept = allowed[function];
  kept = bytes;
  setting_stored(kept);
}
uint64_t allowed_shared(const void* function) {
  if (!function) {
    uint64_t most = 0;
    for (auto& [kernel, bytes] : allowed) most = std::max(most, bytes);
    return most;
  }
  auto found = allowed.find(function);
  return found == allowed.end() ? 0 : found->second;
}
void execute(Launch& what, const void* function) {
  take_back();
  if (repeats_earlier(what, function)) return;
  begin_looking(what, function);
  bool ended = tracing ? trace_launch(what, function) : run_grid(what, resident_on_chip(what));
  if (!ended && !what.deferred && !device_error) set_device_error(719);
  end_undefined();
  end_shared_races();
  end_global_races(what);
  what.acted = launch_has_acted();
  if (some_registered) give_registered_stores();
  end_of_launch(ended);
  end_looking(what);
}

uint64_t launches() { return launch_count; }
uint64_t launched_kernels() { return kernel_numbers.size(); }

}  // namespace kw

extern "C" {

void kw_launch(const kw_launch_config* config, const void* function, void (*body)(void*), void* argument) {
  using namespace kw;
  static uint32_t numbers = 0;
  auto* site = __builtin_return_address(0);
  if (current) {
    auto& finding = report(Kind::configuration, site);
    finding.message = "a kernel launches a kernel, which the CPU target does not execute";
    abort_launch();
  }
  if (device_error) return;  // nothing runs any more on a device that failed
  if (refused_in_callback(config->site, config->kernel)) return set_launch_error(800);  // cudaErrorNotPermitted
  if (auto* graph = capturing(config->stream)) {
    note_launch(graph, *config, function, body, argument);
    return;
  }
  Launch what;
  what.config = config;
  what.body = body;
  what.argument = argument;
  what.argument_bytes = config->argument_bytes;
  what.number = ++numbers;
  const void* known = function == (const void*)body ? nullptr : function;
  auto refusal = refuse(*config, known);
  if (refusal.error) {
    auto& finding = report(Kind::configuration, config->site);
    finding.kernel = config->kernel;
    finding.message = refusal.why;
    note_unchecked(finding);
    set_launch_error(refusal.error);
    return;
  }
  auto threads = config->block.x * config->block.y * config->block.z;
  const auto resident = blocks_on_chip(*config);
  if (config->cooperative && uint64_t(config->grid.x) * config->grid.y * config->grid.z > resident) {
    auto& finding = report(Kind::configuration, config->site);
    finding.kernel = config->kernel;
    finding.message = "a cooperative launch needs all of its blocks on the device at once, and the device holds " + std::to_string(resident) + "; launch fewer blocks";
    set_launch_error(720);
    return;
  }
  ++launch_count;
  // The host asked for the error and launches in another way: it knew what it did.
  for (auto* refused : seen) refused->harmless |= refused->kernel == config->kernel;
  begin_launch(config->stream, config->site, config->early);
  for (size_t at = 0; !tracing && at + sizeof(uintptr_t) <= config->argument_bytes; at += sizeof(uintptr_t)) {
    uintptr_t word;
    memcpy(&word, (const char*)argument + at, sizeof word);
    if (word != uintptr_t(function) && is_host_function(word)) {
      auto& finding = report(Kind::host_pointer, config->site);
      finding.kernel = config->kernel;
      finding.message = "the host passes the kernel its own address of function '" + function_at(word) + "', which is not the device's; "
                        "store the address in a __device__ variable and copy it with cudaMemcpyFromSymbol";
      continue;
    }
    if (!only_on_device(word)) continue;
    auto& finding = report(Kind::host_pointer, config->site);
    finding.kernel = config->kernel;
    finding.message = "the host passes the kernel device variable '" + variable_at(word).name + "' by name, which is not its device address; "
                      "use cudaGetSymbolAddress, or name the variable in the kernel";
  }
  work_begun();
  host_gave_arguments(argument, config->argument_bytes);
  ++activity.launches;
  activity.threads += uint64_t(threads) * config->grid.x * config->grid.y * config->grid.z;
  const auto number = kernel_numbers.try_emplace(function, kernel_numbers.size()).first->second;
  if (device_rests || kernels_rest == Rest::all || kernels_rest == (number % 2 ? Rest::every_second : Rest::every_first)) return;
  allow_postponing(what, function);
  execute(what, function);
  if (what.deferred) return postpone(what, function);
  if (what.shared_touched > chip.shared_per_block) {
    auto& finding = report(Kind::configuration, config->site);
    finding.kernel = config->kernel;
    finding.message = "it uses " + std::to_string(what.shared_touched) + " bytes of static shared memory, more than the " +
                      std::to_string(chip.shared_per_block) + " that the compiler allows";
  } else if (what.shared_touched + config->shared_bytes > std::max(chip.shared_per_block, what.shared_touched + allowed_shared(known))) {
    auto& finding = report(Kind::configuration, config->site);
    finding.kernel = config->kernel;
    finding.message = "it uses " + std::to_string(what.shared_touched) + " bytes of static and " + std::to_string(config->shared_bytes) +
                      " of dynamic shared memory; for more than " + std::to_string(chip.shared_per_block) +
                      " together, call cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) first";
    note_unchecked(finding);
    set_launch_error(1);
  }
}

void kw_wait_for_primary(void) { kw::wait_for_primary(); }

int kw_in_kernel(void) { return kw::current != nullptr; }

static void fence(bool device) {
  if (!kw::current || kw::only_bounds) return;
  if (kw::tracing) return kw::trace_signal();
  kw::settle_pending_store();
  kw::fence(*kw::current, device);
}
void kw_fence(void) { fence(true); }
void kw_fence_block(void) { fence(false); }

void kw_trap(void) {
  using namespace kw;
  auto* site = __builtin_return_address(0);
  auto& finding = report(Kind::trap, site);
  finding.message = "the kernel called __trap()";
  if (!current) abort();
  set_device_error(719);
  abort_launch();
}

// assert() in a kernel ends the launch, not the process.
void __assert_fail(const char* expression, const char* file, unsigned line, const char* function) {
  using namespace kw;
  auto& finding = report(Kind::trap, __builtin_return_address(0));
  finding.message = std::string("assertion failed: ") + expression;
  finding.path = file;
  finding.line = line;
  (void)function;
  if (!current) crash_host(finding.message.c_str());
  set_device_error(710);
  abort_launch();
}
}
