// TORCH_LIBRARY: its body is compiled, so that what it names must exist; registering is not needed, since an entry is
// called by its name.
#pragma once

#include <c10/macros/Macros.h>

#include <utility>

namespace c10 {
enum class DispatchKey { CPU, CUDA, Meta, Autograd, AutogradCUDA, CompositeExplicitAutograd, CompositeImplicitAutograd };
}

namespace torch {

class Library {
 public:
  template <class... Arguments>
  Library& def(const Arguments&...) {
    return *this;
  }
  template <class... Arguments>
  Library& impl(const Arguments&...) {
    return *this;
  }
  template <class... Arguments>
  Library& fallback(const Arguments&...) {
    return *this;
  }
};

template <class Key, class Function>
Function dispatch(Key, Function function) {
  return function;
}
template <class Function>
Function schema(Function text) {
  return text;
}

}  // namespace torch

#define TORCH_FN(FUNCTION) (&FUNCTION)
#define KW_LIBRARY(UNIQUE, VARIABLE) [[maybe_unused]] static void UNIQUE(torch::Library& VARIABLE)
#define TORCH_LIBRARY(NAMESPACE, VARIABLE) KW_LIBRARY(C10_ANONYMOUS_VARIABLE(kw_library_), VARIABLE)
#define TORCH_LIBRARY_FRAGMENT(NAMESPACE, VARIABLE) KW_LIBRARY(C10_ANONYMOUS_VARIABLE(kw_library_), VARIABLE)
#define TORCH_LIBRARY_IMPL(NAMESPACE, KEY, VARIABLE) KW_LIBRARY(C10_ANONYMOUS_VARIABLE(kw_library_), VARIABLE)
