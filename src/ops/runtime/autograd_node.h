// How an op of this project enters the graph of gradients: one Node with typed members, instead of
// values boxed into a context.
#pragma once

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/variable.h>

#include <memory>
#include <utility>

namespace creg {

/// True when some of `inputs` wants a gradient and recording is on.
template <class... Tensors>
bool wants_gradient(const Tensors&... inputs) {
  return torch::autograd::compute_requires_grad(inputs...);
}

/// A node whose outgoing edges are the inputs, in this order. An undefined tensor has no edge.
template <class NodeType, class... Tensors>
std::shared_ptr<NodeType> make_node(const Tensors&... inputs) {
  std::shared_ptr<NodeType> node(new NodeType(), torch::autograd::deleteNode);
  node->set_next_edges(torch::autograd::collect_next_edges(inputs...));
  return node;
}

/// Makes `output` the node's next result.
inline void attach(at::Tensor& output, const std::shared_ptr<torch::autograd::Node>& node) {
  torch::autograd::set_history(output, node);
}

}  // namespace creg
