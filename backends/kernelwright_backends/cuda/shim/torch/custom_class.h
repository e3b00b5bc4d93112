// Classes that are registered with PyTorch: their methods must exist; registering is not needed.
#pragma once

#include <ATen/core/ivalue.h>
#include <torch/library.h>

#include <string>

namespace torch {

template <class... Types>
struct types {};
template <class... Types>
types<Types...> init() {
  return {};
}
template <class Function, class... Types>
struct InitLambda {
  Function make;
};
template <class Function>
InitLambda<Function> init(Function make) {
  return {make};
}
struct arg {
  explicit arg(std::string name) : name(std::move(name)) {}
  template <class Value>
  arg& operator=(const Value&) {
    return *this;
  }
  std::string name;
};

template <class Class>
class class_ {
 public:
  explicit class_(const std::string&, const std::string& = "", std::string = "") {}
  template <class... Arguments>
  class_& def(Arguments&&...) {
    return *this;
  }
  template <class... Arguments>
  class_& def_static(Arguments&&...) {
    return *this;
  }
  template <class... Arguments>
  class_& def_property(Arguments&&...) {
    return *this;
  }
  template <class... Arguments>
  class_& def_readwrite(Arguments&&...) {
    return *this;
  }
  template <class... Arguments>
  class_& def_readonly(Arguments&&...) {
    return *this;
  }
  template <class... Arguments>
  class_& def_pickle(Arguments&&...) {
    return *this;
  }
};

template <class Class>
class_<Class> Library::class_(const std::string& name) {
  return torch::class_<Class>(name);
}

}  // namespace torch
