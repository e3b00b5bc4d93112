#pragma once

#include <c10/macros/Macros.h>

#include <cstdint>
#include <string>

namespace c10 {

enum class DeviceType : std::int8_t { CPU = 0, CUDA = 1, HIP = 6, Meta = 14 };
constexpr DeviceType kCPU = DeviceType::CPU, kCUDA = DeviceType::CUDA, kHIP = DeviceType::HIP, kMeta = DeviceType::Meta;

using DeviceIndex = std::int8_t;

struct Device {
  constexpr Device(DeviceType type, DeviceIndex index = -1) : type_(type), index_(index) {}
  // "cuda", "cuda:1", "cpu"; anything else throws.
  Device(const std::string& text);
  Device(const char* text);

  constexpr DeviceType type() const { return type_; }
  constexpr DeviceIndex index() const { return index_; }
  constexpr bool has_index() const { return index_ != -1; }
  constexpr bool is_cuda() const { return type_ == DeviceType::CUDA; }
  constexpr bool is_cpu() const { return type_ == DeviceType::CPU; }
  constexpr bool is_meta() const { return type_ == DeviceType::Meta; }
  constexpr void set_index(DeviceIndex index) { index_ = index; }
  std::string str() const;
  friend constexpr bool operator==(const Device& a, const Device& b) {
    return a.type_ == b.type_ && a.index_ == b.index_;
  }
  friend constexpr bool operator!=(const Device& a, const Device& b) { return !(a == b); }

 private:
  DeviceType type_;
  DeviceIndex index_;
};

}  // namespace c10

// Both are parsed and printed by the runtime library.
KW_RUNTIME c10::Device kw_parse_device(const char* text);
KW_RUNTIME void kw_print_device(c10::Device device, char* text);  // at most 32 characters

namespace c10 {
inline Device::Device(const char* text) : Device(kw_parse_device(text)) {}
inline Device::Device(const std::string& text) : Device(kw_parse_device(text.c_str())) {}
inline std::string Device::str() const {
  char text[32];
  kw_print_device(*this, text);
  return text;
}
}  // namespace c10
