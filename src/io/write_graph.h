// A graph as a file of the form that the ending of its name asks for.
#pragma once

#include <filesystem>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "io/creg_file.h"

namespace creg {

/// An ending that asks for no form is an input error that lists those that do; so a caller learns
/// it before there is a graph.
void check_graph_ending(const std::filesystem::path& path);

/// The file appears under its name only when whole. `provenance` goes into forms with a place for
/// it.
void write_graph(const Context& context, const std::filesystem::path& path, const Graph& graph,
                 const CregProvenance& provenance);

}  // namespace creg
