// The .npz files of shchur/gnn-benchmark and its relatives: Amazon, Coauthor, Cora-ML, ...
#pragma once

#include <filesystem>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "io/file.h"

namespace creg {

/// The graph as stored: repeats and loops stay, columns are sorted, and it counts as directed, for
/// the files hold one direction of many edges. Weights are kept unless all are 1. Features come
/// from attr_data, attr_indices, ... or attr_matrix; labels, class_names and node_names where they
/// are. Pickled object arrays are skipped. The files hold no splits.
Graph read_gnn_benchmark(const Context& context, const Bytes& bytes);

/// The same form, for PyTorch Geometric, DGL and others to open. Splits have no place in it; an
/// unlabelled node is written as class -1.
void write_gnn_benchmark(const std::filesystem::path& path, const Graph& graph);

}  // namespace creg
