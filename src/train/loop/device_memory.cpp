#include "train/loop/device_memory.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "creg/core/error.h"

namespace creg {
namespace {

std::string text_of(const std::exception& error) {
  const auto* const of_torch = dynamic_cast<const c10::Error*>(&error);
  return of_torch == nullptr ? error.what() : of_torch->what_without_backtrace();
}

/// Without libtorch's advice and where it comes from.
std::string asked_and_there(const std::exception& error) {
  std::string text = text_of(error);
  text = text.substr(0, text.find('\n'));
  std::size_t end = 0;
  for (int sentences = 0; sentences < 3 && end != std::string::npos; ++sentences) {
    end = text.find(". ", end + 1);
  }
  return text.substr(0, end);
}

}  // namespace

bool is_out_of_memory(const std::exception& error) {
  if (dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr) return true;
  // Has been put into words already.
  if (dynamic_cast<const Error*>(&error) != nullptr) return false;
  const std::string text = text_of(error);
  constexpr std::array words = {"CUDA error: out of memory", "CUBLAS_STATUS_ALLOC_FAILED",
                                "CUDA says: out of memory"};
  return std::any_of(words.begin(), words.end(),
                     [&](const char* some) { return text.find(some) != std::string::npos; });
}

void fail_out_of_memory(const Context& context, const std::exception& error,
                        const std::string& what) {
  fail_environment({.what = what,
                    .file = context.device().name(),
                    .found = asked_and_there(error),
                    .hint = "a smaller --dim, batches (--batch-size) or smaller ones, --precision "
                            "bf16 where all pairs are compared, another card, or --device cpu"});
}

}  // namespace creg
