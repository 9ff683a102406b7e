// Work of a GPU beside that of its current stream, given to it by another thread.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Stream.h>

#include <functional>
#include <vector>

#include "creg/core/context.h"

namespace creg {

/// A further stream of the Context's GPU.
class SideStream {
 public:
  explicit SideStream(const Context& context);

  /// What body starts runs there, after what this thread has started there before; returns when it
  /// is done, so that any stream may go on with it.
  void run(const std::function<void()>& body) const;

 private:
  Context context_;
  c10::Stream stream_;
};

/// Work that the current stream is given from now on uses these tensors, which were made on another
/// one: their memory is not taken for something else before it is done.
void used_by_current_stream(const std::vector<at::Tensor>& tensors);

}  // namespace creg
