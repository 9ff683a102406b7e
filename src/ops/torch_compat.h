// What differs between libtorch 1.13 and 2.11, in one place.
#pragma once

#include <ATen/Version.h>
#include <c10/core/Allocator.h>
#include <c10/util/Exception.h>
#include <torch/types.h>
#include <torch/version.h>

#include <optional>
#include <string>

namespace creg::compat {

// c10::optional became std::optional in 2.x.
#if TORCH_VERSION_MAJOR >= 2
template <class T>
using Optional = std::optional<T>;
#else
template <class T>
using Optional = c10::optional<T>;
#endif

/// An allocator of tensors; its interface lost a const and gained a copy in 2.x.
class Allocator : public c10::Allocator {
 public:
  virtual c10::DataPtr take(std::size_t bytes) const = 0;

#if TORCH_VERSION_MAJOR >= 2
  c10::DataPtr allocate(std::size_t bytes) final {
    return take(bytes);
  }
  void copy_data(void* to, const void* from, std::size_t bytes) const final {
    default_copy_data(to, from, bytes);
  }
#else
  c10::DataPtr allocate(std::size_t bytes) const final {
    return take(bytes);
  }
#endif
};

/// Keeps libtorch's own remarks off standard error while it lives.
class NoRemarks {
 private:
  class Silence : public c10::WarningHandler {
#if TORCH_VERSION_MAJOR >= 2
    void process(const c10::Warning& /*remark*/) override {}
#else
    void process(const c10::SourceLocation& /*place*/, const std::string& /*text*/,
                 bool /*verbatim*/) override {}
#endif
  };

  Silence silence_;
#if TORCH_VERSION_MAJOR >= 2
  c10::WarningUtils::WarningHandlerGuard guard_{&silence_};
#else
  c10::Warning::WarningHandlerGuard guard_{&silence_};
#endif
};

/// The instruction set of ATen's kernels. 1.13 tells it only inside its configuration text.
inline std::string cpu_capability() {
#if TORCH_VERSION_MAJOR >= 2
  return at::get_cpu_capability();
#else
  const std::string config = at::show_config();
  const std::string key = "CPU capability usage: ";
  const std::size_t start = config.find(key);
  if (start == std::string::npos) return "unknown";
  return config.substr(start + key.size(), config.find('\n', start) - start - key.size());
#endif
}

}  // namespace creg::compat
