// CUDA's host interface. Everything happens when it is asked for: streams and events only order what is in order.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <map>
#include <set>
#include <string>

#include "../include/kernelwright/abi.h"
#include "../include/driver_types.h"
#include "activity.h"
#include "block.h"
#include "environment.h"
#include "findings.h"
#include "graphs.h"
#include "given.h"
#include "heap.h"
#include "host_addresses.h"
#include "launch.h"
#include "lines.h"
#include "managed.h"
#include "memory_operations.h"
#include "observations.h"
#include "repetition.h"
#include "streams.h"
#include "unwritten.h"
#include "trace.h"

#define KW_SITE __builtin_return_address(0)

using namespace kw;

namespace {

constexpr struct {
  cudaError_t error;
  const char *name, *text;
} kErrors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInitializationError, "cudaErrorInitializationError", "initialization error"},
    {cudaErrorCudartUnloading, "cudaErrorCudartUnloading", "driver shutting down"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {cudaErrorInvalidPitchValue, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    {cudaErrorInvalidSymbol, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {cudaErrorInvalidDevicePointer, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver", "CUDA driver version is insufficient for CUDA runtime version"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorPeerAccessUnsupported, "cudaErrorPeerAccessUnsupported", "peer access is not supported between these two devices"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorIllegalState, "cudaErrorIllegalState", "the operation cannot be performed in the present state"},
    {cudaErrorSymbolNotFound, "cudaErrorSymbolNotFound", "named symbol not found"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
    {cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    {cudaErrorPeerAccessAlreadyEnabled, "cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"},
    {cudaErrorPeerAccessNotEnabled, "cudaErrorPeerAccessNotEnabled", "peer access has not been enabled"},
    {cudaErrorSetOnActiveProcess, "cudaErrorSetOnActiveProcess", "cannot set while device is active in this process"},
    {cudaErrorAssert, "cudaErrorAssert", "device-side assert triggered"},
    {cudaErrorHostMemoryAlreadyRegistered, "cudaErrorHostMemoryAlreadyRegistered", "part or all of the requested memory range is already mapped"},
    {cudaErrorHostMemoryNotRegistered, "cudaErrorHostMemoryNotRegistered", "pointer does not correspond to a registered memory region"},
    {cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorCooperativeLaunchTooLarge, "cudaErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch"},
    {cudaErrorNotPermitted, "cudaErrorNotPermitted", "operation not permitted"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"},
    {cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated", "operation failed due to a previous error during capture"},
    {cudaErrorStreamCaptureUnjoined, "cudaErrorStreamCaptureUnjoined", "capturing stream has unjoined work"},
    {cudaErrorGraphExecUpdateFailure, "cudaErrorGraphExecUpdateFailure", "the graph update was not performed because it included changes which violated constraints specific to instantiated graph update"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};

const char* text_of(cudaError_t error) {
  for (auto& known : kErrors)
    if (known.error == error) return known.text;
  return "unrecognized error code";
}
const char* spelling_of(cudaError_t error) {
  for (auto& known : kErrors)
    if (known.error == error) return known.name;
  return "unrecognized error code";
}

// An error that a finding tells already.
cudaError_t failed(cudaError_t error) {
  set_launch_error(error);
  return error;
}
// One that only the caller's look at the result would show.
cudaError_t failed(cudaError_t error, const void* site) {
  auto& finding = report(Kind::unchecked, site);
  finding.message = std::string(spelling_of(error)) + " (" + text_of(error) + ")";
  note_unchecked(finding);
  return failed(error);
}

// What a call enqueues: an operation of its stream, after which the host goes on at once, or waits.
bool host_waits_here = false;  // the operation is over before the host goes on
struct Operation {
  Operation(const void* stream, const void* site, bool host_waits = false) : host_waits_(host_waits) {
    host_waits_here = host_waits;
    refused_in_callback(site);
    begin_operation(stream, site);
    trace_use_stream(stream);
  }
  ~Operation() {
    host_waits_here = false;
    trace_use_stream(nullptr);
    if (host_waits_) operation_finished();
  }
  void host_waits() { host_waits_ = host_waits_here = true; }

 private:
  bool host_waits_;
};
cudaError_t done() { return cudaError_t(sync_error()); }

cudaError_t allocate(void** pointer, size_t size, const void* site, bool managed) {
  if (!pointer) return failed(cudaErrorInvalidValue, site);
  if (!size) {
    *pointer = nullptr;
    return done();
  }
  *pointer = heap_allocate(size, site, managed);
  if (!*pointer) return failed(cudaErrorMemoryAllocation, site);
  return done();
}

// Memory of a stream's order: it is there for what that stream does from now on, and for what waits for it. The beginning
// tells who comes too early; to mark all of a large pool would take longer than the kernels.
cudaError_t allocate_in_order(void** pointer, size_t size, const void* stream, const void* site) {
  auto error = allocate(pointer, size, site, false);
  if (error || !size || tracing || !several_streams || capturing(stream)) return error;
  Operation allocating(stream, site);
  auto start = uintptr_t(*pointer);
  stream_range(start, std::min<size_t>(size, 65536), true, site_number(Source::memset, site), site);
  return error;
}

cudaError_t allocate_managed(void** pointer, size_t size, const void* site) {
  auto error = allocate(pointer, size, site, true);
  if (!error && *pointer) begin_managed(*pointer, size);
  return error;
}

cudaError_t allocate_pinned(void** pointer, size_t size, const void* site) {
  auto error = allocate(pointer, size, site, true);
  if (!error && *pointer) allocation_at(uintptr_t(*pointer))->is_pinned = true;
  return error;
}

// An address that a copy may use on the side that its kind says.
bool on_device(const void* address) {
  if (in_heap(uintptr_t(address))) return true;
  auto section = section_of(uintptr_t(address));
  return section == Section::device || section == Section::constant;
}

// For a copy between two places of the device's own memory the host does not wait, whatever the call is named.
bool stays_on_device(const void* to, const void* from) {
  auto own = [](const void* at) { return on_device(at) && !(in_heap(uintptr_t(at)) && (*shadow_of(uintptr_t(at)) & kManaged)); };
  return own(to) && own(from);
}

bool side_fits(const void* address, size_t size, bool device, bool write, const void* site) {
  auto here = uintptr_t(address);
  if (only_on_device(here)) {
    auto& finding = report(Kind::host_pointer, site);
    finding.write = write;
    finding.message = "'" + variable_at(here).name + "' is no address of the device on the host: use cudaMemcpyToSymbol, " +
                      "cudaMemcpyFromSymbol or cudaGetSymbolAddress";
    return false;
  }
  if (device == on_device(address) || (in_heap(here) && (*shadow_of(here) & kManaged)))
    return check_range(here, size, write, site);
  auto& finding = report(device ? Kind::host_pointer : Kind::device_pointer, site);
  finding.write = write;
  finding.address = here;
  finding.size = size;
  finding.space = device ? "host" : "global";
  finding.message = std::string("the copy's direction says that its ") + (write ? "destination" : "source") + " is " +
                    (device ? "device" : "host") + " memory";
  return false;
}

bool holds_already(uintptr_t to, const void* from, size_t size) {
  return in_heap(to) && memcmp((const void*)to, from, size) == 0 && all_initialised(to, size);
}
bool is_filled_already(uintptr_t place, int value, size_t size) {
  auto* bytes = (const unsigned char*)place;
  return in_heap(place) && *bytes == (unsigned char)value && memcmp(bytes, bytes + 1, size - 1) == 0 && all_initialised(place, size);
}

cudaError_t copy(void* to, const void* from, size_t size, cudaMemcpyKind kind, const void* site) {
  if (sync_error()) return done();
  if (!size) return cudaSuccess;
  if (!to || !from) return failed(cudaErrorInvalidValue, site);
  if (kind == cudaMemcpyDefault)
    kind = on_device(to) ? (on_device(from) ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice)
                         : (on_device(from) ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost);
  bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (!side_fits(to, size, to_device, true, site) || !side_fits(from, size, from_device, false, site))
    return failed(cudaErrorInvalidValue);
  if (tracing && (on_device(to) || on_device(from)) && trace_bulk("copy", to, size)) return cudaSuccess;
  if (device_rests && on_device(to)) return cudaSuccess;
  const bool heap_to = in_heap(uintptr_t(to)), heap_from = in_heap(uintptr_t(from));
  if (!tracing) {
    // Only what another stream or the host itself may use meanwhile needs to be remembered.
    auto host_side = [](const void* at) { return !host_waits_here && in_heap(uintptr_t(at)) && (*shadow_of(uintptr_t(at)) & kManaged); };
    if (heap_from && (several_streams || host_side(from) || host_side(to)))
      stream_range(uintptr_t(from), size, false, site_number(Source::host_copy, site), site);
    if (heap_to && (several_streams || host_side(from) || host_side(to)))
      stream_range(uintptr_t(to), size, true, site_number(Source::host_copy, site), site);
  }
  // What stands there already: launches that use it may still be repetitions.
  const bool same = repeats_are_known && heap_to && !heap_from && holds_already(uintptr_t(to), from, size);
  if (!same) memmove(to, from, size);
  if (!heap_to && on_device(to)) device_variable_stored(uintptr_t(to), size);
  if (!heap_to && heap_from) {
    if (auto* found = allocation_at(uintptr_t(from))) found->copied_out = true;
    find_unwritten_locals(uintptr_t(from), size);
    note_unwritten(to, uintptr_t(from), size, site);
  }
  if (!heap_from && heap_to) {
    observe_input(from, size);
    if (!tracing) note_host_objects(uintptr_t(to), size);
  }
  if (!heap_to && heap_from) observe_output(uintptr_t(from), size);
  if (on_device(from) && !on_device(to)) {
    host_was_given(uintptr_t(from), to, size, site);
    note_device_functions(to, size);
    give_results(uintptr_t(from), to, size);
  }
  if (on_device(from) && on_device(to) && in_heap(uintptr_t(from))) mark_copied(uintptr_t(to), uintptr_t(from), size, site);
  else if (!same) mark_written(uintptr_t(to), size, Source::host_copy, site);
  if (!heap_to && on_device(to)) note_variables_changed();
  return cudaSuccess;
}

cudaError_t copy_rows(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                      cudaMemcpyKind kind, const void* site) {
  if (width > to_pitch || width > from_pitch) return failed(cudaErrorInvalidPitchValue, site);
  for (size_t row = 0; row < height; ++row)
    if (auto error = copy((char*)to + row * to_pitch, (const char*)from + row * from_pitch, width, kind, site)) return error;
  return done();
}

cudaError_t fill(void* pointer, int value, size_t size, const void* site) {
  if (sync_error()) return done();
  if (!size) return cudaSuccess;
  if (!pointer) return failed(cudaErrorInvalidValue, site);
  if (!side_fits(pointer, size, true, true, site)) return failed(cudaErrorInvalidValue);
  if (tracing && trace_bulk("fill", pointer, size)) return cudaSuccess;
  if (device_rests) return cudaSuccess;
  if (several_streams && in_heap(uintptr_t(pointer)) && !tracing)
    stream_range(uintptr_t(pointer), size, true, site_number(Source::memset, site), site);
  const auto place = uintptr_t(pointer);
  if (filled_before(place, size, value)) return cudaSuccess;
  if (repeats_are_known && is_filled_already(place, value, size)) {
    note_filled(place, size, value);
    return cudaSuccess;
  }
  memset(pointer, value, size);
  mark_written(place, size, Source::memset, site);
  note_filled(place, size, value);
  if (!in_heap(place)) note_variables_changed();
  return cudaSuccess;
}

cudaError_t fill_rows(void* pointer, size_t pitch, int value, size_t width, size_t height, const void* site) {
  for (size_t row = 0; row < height; ++row)
    if (auto error = fill((char*)pointer + row * pitch, value, width, site)) return error;
  return done();
}

cudaError_t copy_box(const cudaMemcpy3DParms& what, const void* site) {
  if (what.srcArray || what.dstArray) return failed(cudaErrorNotSupported);
  auto start = [](const cudaPitchedPtr& side, const cudaPos& at, size_t plane) {
    return (char*)side.ptr + ((at.z + plane) * side.ysize + at.y) * side.pitch + at.x;
  };
  for (size_t plane = 0; plane < what.extent.depth; ++plane)
    if (auto error = copy_rows(start(what.dstPtr, what.dstPos, plane), what.dstPtr.pitch, start(what.srcPtr, what.srcPos, plane),
                               what.srcPtr.pitch, what.extent.width, what.extent.height, what.kind, site))
      return error;
  return done();
}

cudaError_t copy_symbol(void* to, const void* from, const void* symbol, size_t symbol_size, size_t size, size_t offset,
                        const void* site) {
  if (sync_error()) return done();
  auto section = section_of(uintptr_t(symbol));
  if (section != Section::constant && section != Section::device) return failed(cudaErrorInvalidSymbol, site);
  if (!symbol_size) symbol_size = span_at(uintptr_t(symbol)).size;
  if (offset > symbol_size || size > symbol_size - offset) {
    auto& finding = report(Kind::out_of_bounds, site);
    auto variable = variable_at(uintptr_t(symbol));
    finding.write = from != nullptr && to == nullptr;
    finding.size = size;
    finding.space = section == Section::constant ? "constant" : "device variable";
    finding.object = variable.name;
    finding.offset = int64_t(offset);
    finding.object_size = symbol_size;
    return failed(cudaErrorInvalidValue);
  }
  auto* place = (char*)symbol + offset;
  if (device_rests && from) return done();
  if (!tracing && several_streams) {
    auto number = site_number(Source::host_copy, site);
    stream_range(uintptr_t(place), size, !to, number, site);
    if (auto other = uintptr_t(to ? to : from); in_heap(other)) stream_range(other, size, to, number, site);
  }
  if (to) memcpy(to, place, size);
  else memcpy(place, from, size);
  if (from) note_variables_changed(), device_variable_stored(uintptr_t(place), size);
  if (from && in_heap(uintptr_t(from))) mark_copied(uintptr_t(place), uintptr_t(from), size, site);
  if (from) observe_input(from, size);
  else if (to) observe_output(uintptr_t(place), size);
  if (to) {
    host_was_given(uintptr_t(place), to, size, site);
    note_device_functions(to, size);
  }
  return cudaSuccess;
}

// What a candidate sets it may ask for again.
std::map<int, uint64_t> pool_attributes;
std::map<int, size_t> limits{{cudaLimitStackSize, 1024}, {cudaLimitPrintfFifoSize, 1 << 20}};
size_t& limit_of(cudaLimit limit) { return limits.try_emplace(limit, 8 << 20).first->second; }
cudaFuncCache cache_config = cudaFuncCachePreferNone;
cudaSharedMemConfig bank_config = cudaSharedMemBankSizeFourByte;
unsigned device_flags = cudaDeviceScheduleAuto | cudaDeviceMapHost;
std::map<const void*, int> carveouts;
std::set<const void*> streams_there;

struct Event {
  timespec when;
  bool recorded;
  Graph* captured;  // the graph that noted its recording
  Front front;      // what was noted before it
};

}  // namespace

namespace kw {

Stream* stream_at(const void* stream) { return streams_there.count(stream) ? (Stream*)stream : nullptr; }

int copy_memory(void* to, const void* from, size_t size, int kind, const void* site) {
  return copy(to, from, size, cudaMemcpyKind(kind), site);
}
int fill_memory(void* pointer, int value, size_t size, const void* site) { return fill(pointer, value, size, site); }

}  // namespace kw

extern "C" {

cudaError_t cudaMalloc(void** pointer, size_t size) { return allocate(pointer, size, KW_SITE, false); }
cudaError_t cudaMallocAsync(void** pointer, size_t size, cudaStream_t stream) {
  auto error = allocate_in_order(pointer, size, stream, KW_SITE);
  if (auto* graph = capturing(stream); graph && !error) own(graph, *pointer);
  return error;
}
cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t size, cudaMemPool_t, cudaStream_t stream) {
  return allocate_in_order(pointer, size, stream, KW_SITE);
}
cudaError_t cudaMallocManaged(void** pointer, size_t size, unsigned) {
  return allocate_managed(pointer, size, KW_SITE);
}
cudaError_t cudaMallocHost(void** pointer, size_t size, unsigned) { return allocate_pinned(pointer, size, KW_SITE); }
cudaError_t cudaHostAlloc(void** pointer, size_t size, unsigned) { return allocate_pinned(pointer, size, KW_SITE); }
cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  *pitch = (width + 511) / 512 * 512;
  return allocate(pointer, *pitch * height, KW_SITE, false);
}
cudaError_t cudaFree(void* pointer) {
  device_finished();
  return heap_free(pointer, KW_SITE) ? done() : failed(cudaErrorInvalidValue);
}
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  if (capturing(stream)) return done();  // it goes with its graph
  Operation freeing(stream, KW_SITE);
  auto* found = several_streams && in_heap(uintptr_t(pointer)) ? allocation_at(uintptr_t(pointer)) : nullptr;
  if (found && !found->is_freed)
    stream_range(found->start, found->size, true, site_number(Source::memset, KW_SITE), KW_SITE);
  return heap_free(pointer, KW_SITE) ? done() : failed(cudaErrorInvalidValue);
}
cudaError_t cudaFreeHost(void* pointer) {
  device_finished();
  return heap_free(pointer, KW_SITE, true) ? done() : failed(cudaErrorInvalidValue);
}
cudaError_t cudaHostRegister(void*, size_t, unsigned) { return done(); }
cudaError_t cudaHostUnregister(void*) { return done(); }

cudaError_t cudaMemcpy(void* to, const void* from, size_t size, cudaMemcpyKind kind) {
  Operation copying(nullptr, KW_SITE, !stays_on_device(to, from));
  return copy(to, from, size, kind, KW_SITE);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t size, cudaMemcpyKind kind, cudaStream_t stream) {
  auto* site = KW_SITE;
  if (is_no_stream(stream)) return failed(cudaErrorInvalidResourceHandle, site);
  if (auto* graph = capturing(stream)) {
    note(graph, stream, cudaGraphNodeTypeMemcpy, [=] { copy(to, from, size, kind, site); });
    return done();
  }
  // Into memory of the host that is not pinned the copy has been made when the call returns.
  Operation copying(stream, site, !on_device(to));
  return copy(to, from, size, kind, site);
}
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
  Operation copying(nullptr, KW_SITE, !stays_on_device(to, from));
  return copy_rows(to, to_pitch, from, from_pitch, width, height, kind, KW_SITE);
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  auto* site = KW_SITE;
  if (auto* graph = capturing(stream)) {
    note(graph, stream, cudaGraphNodeTypeMemcpy, [=] { copy_rows(to, to_pitch, from, from_pitch, width, height, kind, site); });
    return done();
  }
  Operation copying(stream, site, !on_device(to));
  return copy_rows(to, to_pitch, from, from_pitch, width, height, kind, site);
}
cudaError_t cudaMemset(void* pointer, int value, size_t size) {
  Operation filling(nullptr, KW_SITE);
  return fill(pointer, value, size, KW_SITE);
}
cudaError_t cudaMemsetAsync(void* pointer, int value, size_t size, cudaStream_t stream) {
  auto* site = KW_SITE;
  if (is_no_stream(stream)) return failed(cudaErrorInvalidResourceHandle, site);
  if (auto* graph = capturing(stream)) {
    note(graph, stream, cudaGraphNodeTypeMemset, [=] { fill(pointer, value, size, site); });
    return done();
  }
  Operation filling(stream, site);
  return fill(pointer, value, size, site);
}
cudaError_t cudaMemset2D(void* pointer, size_t pitch, int value, size_t width, size_t height) {
  Operation filling(nullptr, KW_SITE);
  return fill_rows(pointer, pitch, value, width, height, KW_SITE);
}
cudaError_t cudaMemset2DAsync(void* pointer, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
  auto* site = KW_SITE;
  if (auto* graph = capturing(stream)) {
    note(graph, stream, cudaGraphNodeTypeMemset, [=] { fill_rows(pointer, pitch, value, width, height, site); });
    return done();
  }
  Operation filling(stream, site);
  return fill_rows(pointer, pitch, value, width, height, site);
}
cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent) {
  auto pitch = (extent.width + 511) / 512 * 512;
  *pointer = {nullptr, pitch, extent.width, extent.height};
  return allocate(&pointer->ptr, pitch * extent.height * extent.depth, KW_SITE, false);
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* what) {
  Operation copying(nullptr, KW_SITE, !stays_on_device(what->dstPtr.ptr, what->srcPtr.ptr));
  return copy_box(*what, KW_SITE);
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* what, cudaStream_t stream) {
  auto* site = KW_SITE;
  if (auto* graph = capturing(stream)) {
    note(graph, stream, cudaGraphNodeTypeMemcpy, [copied = *what, site] { copy_box(copied, site); });
    return done();
  }
  Operation copying(stream, site, !on_device(what->dstPtr.ptr));
  return copy_box(*what, site);
}
cudaError_t cudaMemset3D(cudaPitchedPtr pointer, int value, cudaExtent extent) {
  for (size_t plane = 0; plane < extent.depth; ++plane)
    if (auto error = fill_rows((char*)pointer.ptr + plane * pointer.ysize * pointer.pitch, pointer.pitch, value, extent.width,
                               extent.height, KW_SITE))
      return error;
  return done();
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr pointer, int value, cudaExtent extent, cudaStream_t) {
  return cudaMemset3D(pointer, value, extent);
}
cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, size_t size) {
  Operation copying(nullptr, KW_SITE);
  return copy(to, from, size, cudaMemcpyDeviceToDevice, KW_SITE);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, size_t size, cudaStream_t stream) {
  return cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToDevice, stream);
}
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  *device = host;  // one address on both sides
  return done();
}
cudaError_t cudaHostGetFlags(unsigned* flags, void*) {
  *flags = cudaHostAllocMapped;
  return done();
}
cudaError_t cudaMemRangeGetAttribute(void* data, size_t size, cudaMemRangeAttribute, const void*, size_t) {
  memset(data, 0, size);
  return done();
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, size_t, unsigned) { return done(); }
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) {
  static char only;
  *pool = reinterpret_cast<cudaMemPool_t>(&only);
  return done();
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) { return cudaDeviceGetDefaultMemPool(pool, device); }
cudaError_t cudaDeviceSetMemPool(int, cudaMemPool_t) { return done(); }
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr attribute, void* value) {
  auto& kept = pool_attributes[attribute];
  kept = attribute <= cudaMemPoolReuseAllowInternalDependencies ? uint64_t(*(int*)value) : *(uint64_t*)value;
  setting_stored(kept);
  return done();
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, cudaMemPoolAttr attribute, void* value) {
  auto told = pool_attributes[attribute];
  if (attribute <= cudaMemPoolReuseAllowInternalDependencies) *(int*)value = int(told);
  else *(uint64_t*)value = told;
  return done();
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return done(); }
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  uint64_t used = used_by_others(chip.memory);
  for (size_t i = 0; i < allocation_count(); ++i)
    if (!allocation(i).is_freed) used += allocation(i).size;
  *total = chip.memory;
  *free = chip.memory - std::min(used, chip.memory);
  return done();
}
cudaError_t cudaMemPrefetchAsync(const void*, size_t, int, cudaStream_t) { return done(); }
cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, int) { return done(); }
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  auto address = uintptr_t(pointer);
  bool device = on_device(pointer), managed = in_heap(address) && (*shadow_of(address) & kManaged);
  attributes->type = managed ? cudaMemoryTypeManaged : device ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered;
  attributes->device = 0;
  attributes->devicePointer = device ? (void*)pointer : nullptr;
  attributes->hostPointer = !device || managed ? (void*)pointer : nullptr;
  return done();
}
void kw_symbol_address(const void* symbol) { know_on_host(uintptr_t(symbol)); }
cudaError_t kw_copy_symbol(void* to, const void* from, const void* symbol, size_t symbol_size, size_t size, size_t offset, const void* site) {
  Operation copying(nullptr, site, true);
  return copy_symbol(to, from, symbol, symbol_size, size, offset, site);
}
cudaError_t kw_copy_symbol_in_order(void* to, const void* from, const void* symbol, size_t symbol_size, size_t size, size_t offset,
                                    cudaStream_t stream, const void* site) {
  if (is_no_stream(stream)) return failed(cudaErrorInvalidResourceHandle, site);
  if (auto* graph = capturing(stream)) {
    note(graph, stream, cudaGraphNodeTypeMemcpy, [=] { copy_symbol(to, from, symbol, symbol_size, size, offset, site); });
    return done();
  }
  Operation copying(stream, site, to && !on_device(to));
  return copy_symbol(to, from, symbol, symbol_size, size, offset, site);
}
int kw_copy(void* to, const void* from, size_t size, int kind, const void* site) {
  return copy(to, from, size, cudaMemcpyKind(kind), site);
}
cudaError_t kw_call_failed(cudaError_t error, const void* site) { return failed(error, site); }
cudaError_t kw_allocate(void** pointer, size_t size, int host, const void* site) {
  return host == 2 ? allocate_pinned(pointer, size, site) : host ? allocate_managed(pointer, size, site) : allocate(pointer, size, site, false);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  *stream = reinterpret_cast<cudaStream_t>(new Stream{flags, priority, nullptr});
  streams_there.insert(*stream);
  stream_created(*stream, !(flags & cudaStreamNonBlocking));
  if (tracing) trace_new_stream(*stream, !(flags & cudaStreamNonBlocking));
  return done();
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, 0); }

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (is_no_stream(stream)) return failed(cudaErrorInvalidResourceHandle, KW_SITE);
  delete stream_at(stream);
  streams_there.erase(stream);
  return done();
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (is_no_stream(stream)) return failed(cudaErrorInvalidResourceHandle, KW_SITE);
  if (spoil(capturing(stream))) return failed(cudaErrorStreamCaptureUnsupported, KW_SITE);
  stream_finished(stream);
  if (tracing) trace_host_waits();
  return done();
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  if (is_busy_yet() || !is_stream_over(stream)) return cudaErrorNotReady;
  stream_finished(stream);
  return done();
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  auto* waited = reinterpret_cast<Event*>(event);
  if (!waited) return failed(cudaErrorInvalidResourceHandle, KW_SITE);
  if (auto* known = stream_at(stream); known && waited->captured) join_capture(waited->captured, known, waited->front);
  else wait_for_event(stream, event);
  if (tracing && !waited->captured) trace_wait_for_event(stream, event);
  return done();
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  auto* known = stream_at(stream);
  *flags = known ? known->flags : 0;
  return done();
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  auto* known = stream_at(stream);
  *priority = known ? known->priority : 0;
  return done();
}
cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaStreamAttrID, const cudaStreamAttrValue*) { return done(); }
cudaError_t cudaStreamGetAttribute(cudaStream_t, cudaStreamAttrID, cudaStreamAttrValue* value) {
  memset(value, 0, sizeof *value);
  return done();
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  if (sync_error()) return done();
  auto* site = KW_SITE;
  if (auto* graph = capturing(stream))
    note(graph, stream, cudaGraphNodeTypeHost, [=] { in_turn_of(nullptr, site, [=] { function(data); }); });
  else in_turn_of(stream, site, [=] { function(data); });
  return done();
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void* data, unsigned) {
  in_turn_of(stream, KW_SITE, [=] { function(stream, done(), data); });
  return done();
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return done();
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = reinterpret_cast<cudaEvent_t>(new Event{});
  return done();
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete reinterpret_cast<Event*>(event);
  return done();
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  auto* it = reinterpret_cast<Event*>(event);
  if (!it) return failed(cudaErrorInvalidResourceHandle, KW_SITE);
  it->captured = capturing(stream);
  if (auto* known = stream_at(stream); known && it->captured) it->front = known->front;
  if (!it->captured) event_recorded(event, stream);
  if (tracing && !it->captured) trace_event(event, stream);
  clock_gettime(CLOCK_MONOTONIC, &it->when);
  it->recorded = true;
  return done();
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return cudaEventRecord(event, stream);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (auto* noted = reinterpret_cast<Event*>(event); noted && spoil(noted->captured)) return failed(cudaErrorStreamCaptureUnsupported, KW_SITE);
  event_finished(event);
  if (tracing) trace_host_waits();
  return done();
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (is_busy_yet() || !is_event_over(event)) return cudaErrorNotReady;
  event_finished(event);
  return done();
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  auto *a = reinterpret_cast<Event*>(start), *b = reinterpret_cast<Event*>(end);
  if (!a || !b || !a->recorded || !b->recorded) return failed(cudaErrorInvalidResourceHandle, KW_SITE);
  auto seconds = double(b->when.tv_sec - a->when.tv_sec) + double(b->when.tv_nsec - a->when.tv_nsec) * 1e-9;
  *milliseconds = float(device_time(seconds) * 1e3);
  return done();
}

cudaError_t cudaGetLastError() {
  note_errors_seen();
  return cudaError_t(take_error());
}
cudaError_t cudaPeekAtLastError() {
  note_errors_seen();
  return cudaError_t(peek_error());
}
const char* cudaGetErrorString(cudaError_t error) { return text_of(error); }
const char* cudaGetErrorName(cudaError_t error) { return spelling_of(error); }
cudaError_t cudaDeviceSynchronize() {
  if (spoil_captures()) return failed(cudaErrorStreamCaptureUnsupported, KW_SITE);
  device_finished();
  if (tracing) trace_host_waits();
  return done();
}
cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
cudaError_t cudaDeviceReset() {
  device_finished();
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return done();
}
cudaError_t cudaSetDevice(int device) { return device == 0 ? done() : failed(cudaErrorInvalidDevice, KW_SITE); }
cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return done();
}
// What textures and surfaces may measure: the same on every chip since compute capability 7.
static void limits_of_images(cudaDeviceProp& p) {
  auto set = [](auto& field, std::initializer_list<int> extents) { std::copy(extents.begin(), extents.end(), field); };
  p.maxTexture1D = 131072;
  p.maxTexture1DMipmap = p.maxTextureCubemap = p.maxSurface1D = p.maxSurfaceCubemap = 32768;
  p.maxTexture1DLinear = 268435456;
  set(p.maxTexture2D, {131072, 65536});
  set(p.maxTexture2DMipmap, {32768, 32768});
  set(p.maxTexture2DLinear, {131072, 65000, 2097120});
  set(p.maxTexture2DGather, {32768, 32768});
  set(p.maxTexture3D, {16384, 16384, 16384});
  set(p.maxTexture3DAlt, {8192, 8192, 32768});
  set(p.maxTexture1DLayered, {32768, 2048});
  set(p.maxTexture2DLayered, {32768, 32768, 2048});
  set(p.maxTextureCubemapLayered, {32768, 2046});
  set(p.maxSurface2D, {131072, 65536});
  set(p.maxSurface3D, {16384, 16384, 16384});
  set(p.maxSurface1DLayered, {32768, 2048});
  set(p.maxSurface2DLayered, {32768, 32768, 2048});
  set(p.maxSurfaceCubemapLayered, {32768, 2046});
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
  if (device != 0) return failed(cudaErrorInvalidDevice, KW_SITE);
  memset(p, 0, sizeof *p);
  snprintf(p->name, sizeof p->name, "%s", chip.name);
  p->totalGlobalMem = chip.memory;
  p->sharedMemPerBlock = chip.shared_per_block;
  p->sharedMemPerBlockOptin = chip.shared_per_block_optin;
  p->sharedMemPerMultiprocessor = chip.shared_per_processor;
  p->reservedSharedMemPerBlock = 1024;
  p->regsPerBlock = p->regsPerMultiprocessor = int(chip.registers_per_block);
  p->warpSize = 32;
  p->memPitch = 2147483647;
  p->maxThreadsPerBlock = int(chip.threads_per_block);
  p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
  p->maxThreadsDim[2] = 64;
  p->maxGridSize[0] = 2147483647;
  p->maxGridSize[1] = p->maxGridSize[2] = 65535;
  p->pciBusID = machine().bus;
  p->pciDeviceID = machine().slot;
  p->pciDomainID = machine().domain;
  memcpy(p->uuid.bytes, machine().identity, sizeof p->uuid.bytes);
  p->ECCEnabled = 1;
  p->clockRate = int(chip.clock_khz);
  p->memoryClockRate = int(chip.memory_clock_khz);
  p->memoryBusWidth = int(chip.bus_bits);
  p->totalConstMem = 65536;
  p->major = chip.major;
  p->minor = chip.minor;
  p->multiProcessorCount = int(chip.processors);
  p->maxThreadsPerMultiProcessor = int(chip.threads_per_processor);
  p->maxBlocksPerMultiProcessor = int(chip.blocks_per_processor);
  p->l2CacheSize = int(chip.l2);
  p->clusterLaunch = chip.major >= 9;
  p->memoryPoolsSupported = p->concurrentManagedAccess = p->computePreemptionSupported = p->streamPrioritiesSupported = 1;
  p->deviceOverlap = p->globalL1CacheSupported = p->localL1CacheSupported = p->hostNativeAtomicSupported = 1;
  p->canUseHostPointerForRegisteredMem = p->hostRegisterSupported = 1;
  p->asyncEngineCount = 3;
  p->singleToDoublePrecisionPerfRatio = 2;
  p->textureAlignment = p->surfaceAlignment = 512;
  p->texturePitchAlignment = 32;
  p->persistingL2CacheMaxSize = p->accessPolicyMaxWindowSize = int(chip.l2 / 2);
  p->sparseCudaArraySupported = p->timelineSemaphoreInteropSupported = p->unifiedFunctionPointers = 1;
  limits_of_images(*p);
  p->concurrentKernels = p->canMapHostMemory = p->unifiedAddressing = p->managedMemory = p->cooperativeLaunch = 1;
  return done();
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (device != 0) return failed(cudaErrorInvalidDevice, KW_SITE);
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: *value = int(chip.threads_per_block); break;
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY: *value = 1024; break;
    case cudaDevAttrMaxBlockDimZ: *value = 64; break;
    case cudaDevAttrMaxGridDimX: *value = 2147483647; break;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ: *value = 65535; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = int(chip.shared_per_block); break;
    case cudaDevAttrTotalConstantMemory: *value = 65536; break;
    case cudaDevAttrWarpSize: *value = 32; break;
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor: *value = int(chip.registers_per_block); break;
    case cudaDevAttrClockRate: *value = int(chip.clock_khz); break;
    case cudaDevAttrMultiProcessorCount: *value = int(chip.processors); break;
    case cudaDevAttrMemoryClockRate: *value = int(chip.memory_clock_khz); break;
    case cudaDevAttrGlobalMemoryBusWidth: *value = int(chip.bus_bits); break;
    case cudaDevAttrL2CacheSize: *value = int(chip.l2); break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = int(chip.threads_per_processor); break;
    case cudaDevAttrComputeCapabilityMajor: *value = chip.major; break;
    case cudaDevAttrComputeCapabilityMinor: *value = chip.minor; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = int(chip.shared_per_processor); break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = int(chip.shared_per_block_optin); break;
    case cudaDevAttrMaxBlocksPerMultiprocessor: *value = int(chip.blocks_per_processor); break;
    case cudaDevAttrReservedSharedMemoryPerBlock: *value = 1024; break;
    case cudaDevAttrMaxPitch: *value = 2147483647; break;
    case cudaDevAttrAsyncEngineCount: *value = 3; break;
    case cudaDevAttrMaxPersistingL2CacheSize:
    case cudaDevAttrMaxAccessPolicyWindowSize: *value = int(chip.l2 / 2); break;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio: *value = 2; break;
    case cudaDevAttrGpuOverlap:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrGlobalL1CacheSupported:
    case cudaDevAttrLocalL1CacheSupported:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrComputePreemptionSupported:
    case cudaDevAttrHostNativeAtomicSupported:
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
    case cudaDevAttrMemoryPoolsSupported:
    case cudaDevAttrCooperativeLaunch: *value = 1; break;
    case cudaDevAttrPciBusId: *value = machine().bus; break;
    case cudaDevAttrPciDeviceId: *value = machine().slot; break;
    case cudaDevAttrPciDomainId: *value = machine().domain; break;
    case cudaDevAttrEccEnabled: *value = 1; break;
    case cudaDevAttrKernelExecTimeout:
    case cudaDevAttrIntegrated:
    case cudaDevAttrComputeMode:
    case cudaDevAttrTccDriver:
    case cudaDevAttrIsMultiGpuBoard:
    case cudaDevAttrMultiGpuBoardGroupID:
    case cudaDevAttrPageableMemoryAccess:
    case cudaDevAttrCooperativeMultiDeviceLaunch:
    case cudaDevAttrClusterLaunch: *value = chip.major >= 9; break;
    default: return failed(cudaErrorInvalidValue, KW_SITE);
  }
  return done();
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  setting_stored(cache_config = config);
  return done();
}
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  *config = cache_config;
  return done();
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config) {
  setting_stored(bank_config = config);
  return done();
}
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  *config = bank_config;
  return done();
}
cudaError_t cudaSetDeviceFlags(unsigned flags) {
  setting_stored(device_flags = flags | cudaDeviceMapHost);
  return done();
}
cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  *flags = device_flags;
  return done();
}
cudaError_t cudaSetValidDevices(int*, int) { return done(); }
cudaError_t cudaInitDevice(int device, unsigned, unsigned) { return cudaSetDevice(device); }
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) { return cudaGetDevice(device); }
cudaError_t cudaDeviceGetByPCIBusId(int* device, const char*) { return cudaGetDevice(device); }
cudaError_t cudaDeviceGetPCIBusId(char* identity, int length, int device) {
  if (device != 0) return failed(cudaErrorInvalidDevice);
  snprintf(identity, size_t(length), "%04x:%02x:%02x.0", unsigned(machine().domain), unsigned(machine().bus), unsigned(machine().slot));
  return done();
}
cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr, int, int) {
  *value = 0;
  return failed(cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return done();
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) { return failed(cudaErrorInvalidDevice); }
cudaError_t cudaDeviceDisablePeerAccess(int) { return failed(cudaErrorPeerAccessNotEnabled); }
cudaError_t cudaThreadExit() { return cudaDeviceReset(); }
cudaError_t cudaCtxResetPersistingL2Cache() { return done(); }
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  auto& kept = limit_of(limit);
  kept = value;
  setting_stored(kept);
  return done();
}
cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  *value = limit_of(limit);
  return done();
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = 12080;
  return done();
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = 12080;
  return done();
}
cudaError_t kw_function_attribute(const void* function, cudaFuncAttribute attribute, int value) {
  if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
    if (value < 0 || uint64_t(value) > chip.shared_per_block_optin) return failed(cudaErrorInvalidValue, KW_SITE);
    allow_shared(function, uint64_t(value));
  }
  if (attribute == cudaFuncAttributeNonPortableClusterSizeAllowed) allow_nonportable_clusters(function, value != 0);
  if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) {
    auto& kept = carveouts[function];
    kept = value;
    setting_stored(kept);
  }
  return done();
}
cudaError_t kw_function_attributes(cudaFuncAttributes* attributes, const void* function) {
  memset(attributes, 0, sizeof *attributes);
  attributes->maxThreadsPerBlock = int(chip.threads_per_block);
  attributes->numRegs = registers_of(function);
  attributes->ptxVersion = attributes->binaryVersion = chip.major * 10 + chip.minor;
  auto allowed = allowed_shared(function);
  attributes->maxDynamicSharedSizeBytes = int(allowed ? allowed : chip.shared_per_block);
  auto carveout = carveouts.find(function);
  attributes->preferredShmemCarveout = carveout == carveouts.end() ? -1 : carveout->second;
  return done();
}
cudaError_t kw_active_blocks(int* blocks, const void*, int block_size, size_t shared_bytes) {
  if (block_size <= 0 || unsigned(block_size) > chip.threads_per_block) return failed(cudaErrorInvalidValue, KW_SITE);
  uint64_t by_threads = chip.threads_per_processor / (unsigned(block_size + 31) / 32 * 32);
  uint64_t by_shared = chip.shared_per_processor / (shared_bytes + 1024);
  *blocks = int(std::min({by_threads, by_shared, uint64_t(chip.blocks_per_processor)}));
  return done();
}
}
