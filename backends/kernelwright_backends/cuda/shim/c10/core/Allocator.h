#pragma once

#include <c10/core/Device.h>

#include <cstddef>
#include <memory>
#include <utility>

namespace c10 {

using DeleterFnPtr = void (*)(void*);

// Memory that goes with its owner.
class DataPtr {
 public:
  DataPtr() = default;
  DataPtr(void* data, Device device) : data_(data, [](void*) {}), device_(device) {}
  DataPtr(void* data, void*, DeleterFnPtr deleter, Device device) : data_(data, deleter), device_(device) {}
  void* get() const { return data_.get(); }
  void* mutable_get() { return data_.get(); }
  void* operator->() const { return data_.get(); }
  operator bool() const { return static_cast<bool>(data_); }
  void clear() { data_.reset(); }
  Device device() const { return device_; }

 private:
  std::unique_ptr<void, DeleterFnPtr> data_{nullptr, [](void*) {}};
  Device device_{DeviceType::CPU};
};

struct Allocator {
  virtual ~Allocator() = default;
  virtual DataPtr allocate(std::size_t bytes) = 0;
};

}  // namespace c10
