// A graph without features is trained on with some that are made of its structure
// (learn/structure_features.h), where the encoder needs any and TrainConfig::structure_features
// asks for columns of them. They are made anew wherever they are needed and kept nowhere, and they
// mean something on that graph alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/graph/graph_size.h"
#include "creg/train/config.h"

namespace creg {

struct Checkpoint;

/// Whether a graph with so many columns of features gets others.
bool makes_features(std::int64_t columns, const TrainConfig& config);

/// The size of the graph with the features that training sees.
GraphSize with_made_features(GraphSize size, const TrainConfig& config);

/// The largest memory that making them takes, before training takes any; 0 where none are made.
std::int64_t bytes_of_making(const GraphSize& size, const TrainConfig& config);

/// The graph with its own features or made ones. `graph` has its edges as training sees them.
Graph with_made_features(const Context& context, Graph graph, const TrainConfig& config);

/// Says in the log how many are made, if any.
void tell_made_features(const Context& context, const GraphSize& size, const TrainConfig& config);

/// An input error where some would be made: `why` it cannot be.
void refuse_made_features(std::int64_t columns, const TrainConfig& config, const std::string& graph,
                          const std::string& why);

inline constexpr std::string_view not_for_finetuning =
    "mean nothing on the rest of it: an encoder for fine-tuning cannot learn from them";
inline constexpr std::string_view not_in_parts =
    "are made of all of it, which ranks with a part of the graph each cannot do";

/// Whether the run of this checkpoint was trained on made ones.
bool has_made_features(const Checkpoint& checkpoint);

/// The graph with features as the checkpoint's encoder has learned from. Made ones are an input
/// error on any other graph than the one they were made of, or on one that has its own; so are
/// none where the encoder knows others.
Graph with_kept_features(const Context& context, const Graph& graph, const Checkpoint& checkpoint,
                         const std::string& file);

}  // namespace creg
