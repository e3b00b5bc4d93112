#include "whole_launches.h"

#include <utility>

#include "support/clocks.h"
#include "exec/launch.h"

namespace kw {

namespace {

constexpr double kOfOne = 2, kOfAll = 5;  // seconds of the processor's
constexpr double kSlower = 4;             // a sampled block than one that nobody counts

}  // namespace

bool WholeLaunches::add(Launch& launch, const void* function, uint64_t blocks, double seconds) {
  if (blocks) seconds_of_block_[function] = seconds / double(blocks);
  const auto& grid = launch.config->grid;
  auto expected = seconds_of_block_[function] / kSlower * grid.x * grid.y * grid.z;
  all_ = all_ && expected <= kOfOne && seconds_ + expected <= kOfAll;
  if (!all_) return false;
  auto* bytes = (const char*)launch.argument;
  put_off_ = {*launch.config, launch.body, {bytes, bytes + launch.argument_bytes}, launch.number};
  return true;
}

void WholeLaunches::catch_up() {
  if (!put_off_) return;
  auto its = std::exchange(put_off_, std::nullopt);
  Launch launch;
  launch.config = &its->config;
  launch.body = its->body;
  launch.argument = its->argument.data();
  launch.argument_bytes = its->argument.size();
  launch.number = its->number;
  auto begun = processor_time();
  until_ = begun + kOfAll - seconds_;
  executing_ = true;
  all_ = run_grid(launch, resident_on_chip(launch));
  executing_ = false;
  seconds_ += processor_time() - begun;
}

void WholeLaunches::check_time() const {
  if (executing_ && processor_time() > until_) abort_launch();
}

}  // namespace kw
