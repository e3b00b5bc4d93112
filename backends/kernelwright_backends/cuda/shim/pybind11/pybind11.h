// PYBIND11_MODULE: its body is compiled, so that what it names must exist, and never run: an entry is called by its
// name, without Python.
#pragma once

#include <cstddef>
#include <stdexcept>

namespace pybind11 {

// Python's objects: functions that take or return them compile, and cannot be entries.
class object {
 public:
  template <class T>
  T cast() const {
    throw std::runtime_error("there is no Python here: a Python object has no value");
  }
  bool is_none() const { return true; }
};
using handle = object;
class tuple : public object {
 public:
  std::size_t size() const { return 0; }
  object operator[](std::size_t) const { return {}; }
};
class list : public tuple {
 public:
  template <class T>
  void append(const T&) {}
};
class dict : public object {
 public:
  object operator[](const char*) const { return {}; }
  bool contains(const char*) const { return false; }
};
template <class... Values>
tuple make_tuple(Values&&...) {
  throw std::runtime_error("there is no Python here: return a std::tuple");
}

struct arg {
  constexpr explicit arg(const char*) {}
  template <class T>
  constexpr const arg& operator=(const T&) const {
    return *this;
  }
  constexpr arg& noconvert(bool = true) { return *this; }
  constexpr arg& none(bool = true) { return *this; }
};
namespace literals {
constexpr arg operator""_a(const char* name, decltype(sizeof(0))) { return arg(name); }
}  // namespace literals

struct none {};
struct kw_only {};
struct pos_only {};
struct doc {
  constexpr explicit doc(const char*) {}
};
template <class... Types>
struct call_guard {};
struct gil_scoped_release {};
struct gil_scoped_acquire {};
template <class... Arguments>
struct init_arguments {};
template <class... Arguments>
constexpr init_arguments<Arguments...> init() {
  return {};
}

class module_ {
 public:
  template <class Function, class... Extra>
  module_& def(const char*, Function&&, const Extra&...) {
    return *this;
  }
  module_ def_submodule(const char*, const char* = nullptr) { return *this; }
  const char*& doc() { return doc_; }
  struct Attribute {
    template <class T>
    const Attribute& operator=(const T&) const {
      return *this;
    }
  };
  Attribute attr(const char*) { return {}; }

 private:
  const char* doc_ = nullptr;
};
using module = module_;

template <class... Types>
class class_ {
 public:
  template <class... Extra>
  class_(module_&, const char*, const Extra&...) {}
  template <class... Extra>
  class_& def(const Extra&...) {
    return *this;
  }
  template <class... Extra>
  class_& def_readwrite(const Extra&...) {
    return *this;
  }
  template <class... Extra>
  class_& def_readonly(const Extra&...) {
    return *this;
  }
};

// overload_cast<int, float>(&f)
template <class... Arguments>
struct overload_cast_type {
  template <class Result>
  constexpr auto operator()(Result (*function)(Arguments...)) const {
    return function;
  }
};
template <class... Arguments>
inline constexpr overload_cast_type<Arguments...> overload_cast{};

}  // namespace pybind11

#define KW_MODULE_FUNCTION_(NAME) kw_bind_##NAME
#define KW_MODULE_FUNCTION(NAME) KW_MODULE_FUNCTION_(NAME)
#define PYBIND11_MODULE(NAME, VARIABLE, ...) \
  [[maybe_unused]] static void KW_MODULE_FUNCTION(NAME)(pybind11::module_ & VARIABLE)
