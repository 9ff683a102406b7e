// How an op of this project enters the graph of gradients: one Node with typed members, instead of
// values boxed into a context.
#pragma once

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/basic_ops.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/variable.h>

#include <memory>
#include <string>
#include <utility>

namespace creg {

/// A node whose way back is a kernel of ours, which autograd cannot follow: its gradients may be
/// looked at under create_graph, and differentiating them is an error that names the op, where a
/// formula of torch operations would be differentiated as if what it keeps were constant.
class OnceDifferentiable : public torch::autograd::Node {
 public:
  torch::autograd::variable_list apply(torch::autograd::variable_list&& outputs) final {
    torch::autograd::variable_list found;
    {
      const at::NoGradGuard no_grad;
      found = gradients(std::move(outputs));
    }
    if (!at::GradMode::is_enabled()) return found;
    for (at::Tensor& gradient : found) {
      if (!gradient.defined()) continue;
      // It has this node's edges: whoever asks for a derivative by its inputs must meet it.
      const std::shared_ptr<Node> refusal(
          new torch::autograd::Error(op() + " has no second derivative",
                                     torch::autograd::edge_list(next_edges())),
          torch::autograd::deleteNode);
      gradient = gradient.detach();
      torch::autograd::set_history(gradient, refusal);
    }
    return found;
  }

 protected:
  /// With no gradients recorded.
  virtual torch::autograd::variable_list gradients(torch::autograd::variable_list&& outputs) = 0;
  /// As people call it.
  virtual std::string op() const = 0;
};

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
