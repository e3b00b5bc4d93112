#include "host_view.h"

#include <sys/mman.h>

namespace kw {

namespace {

bool hidden = false;
int interfaces = 0;  // that are under way: one may use another

bool is_hideable(const Allocation& one) { return !one.host_sees && one.role != "tiling" && one.role != "workspace"; }

void set(int protection) {
  for (auto* one : allocations())
    if (is_hideable(*one)) mprotect(one->start, one->usable_bytes, protection);
}

}  // namespace

void show_to_host() {
  if (hidden) set(PROT_READ | PROT_WRITE);
  hidden = context.probes.hides_from_host = false;
  interfaces = 0;
}

bool is_hidden(const void* address) {
  if (!hidden || interfaces) return false;
  auto* found = allocation_at(address);
  return found && is_hideable(*found);
}

OnDevice::OnDevice() {
  if (hidden && !interfaces++) set(PROT_READ | PROT_WRITE);
}
OnDevice::~OnDevice() {
  if (hidden && !--interfaces) set(PROT_NONE);
}

}  // namespace kw

using namespace kw;

extern "C" {
void kw_asc_host_begins(void) {
  if (!context.probes.hides_from_host) return;
  context.exec.last_place = {nullptr, 0};
  hidden = true;
  set(PROT_NONE);
}
void kw_acl_show(void* memory) {
  if (auto* made = allocation_at(memory)) made->host_sees = true;
}
}
