// The Planetoid files ind.<name>.{x,y,tx,ty,allx,ally,graph,test.index}: Cora, Citeseer, Pubmed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "io/file.h"

namespace creg {

struct PlanetoidFiles {
  Bytes x;           ///< features of the training nodes
  Bytes y;           ///< their one-hot labels
  Bytes tx;          ///< features of the test nodes, in the order of test_index
  Bytes ty;          ///< their labels
  Bytes allx;        ///< features of all nodes but the test nodes
  Bytes ally;        ///< their labels
  Bytes graph;       ///< node -> neighbours
  Bytes test_index;  ///< ids of the test nodes, one per line
};

/// The graph as stored: neighbours listed twice stay twice. Ids beyond allx that test_index leaves
/// out have no features, no label and no place in the split. The split "public" is: the nodes of
/// x; the next 500 of allx, or as many as there are; the ids of test_index.
Graph read_planetoid(const Context& context, const PlanetoidFiles& files, std::string name);

/// The files of that name in a folder. A missing one is an input error that says where to get it.
PlanetoidFiles open_planetoid(const std::filesystem::path& folder, const std::string& name);
Graph read_planetoid(const Context& context, const std::filesystem::path& folder, std::string name);

/// Names of the Planetoid datasets that have at least one file in the folder, sorted.
std::vector<std::string> planetoid_names(const std::filesystem::path& folder);

/// The only one of them; several are an input error.
std::string only_planetoid(const std::filesystem::path& folder);

}  // namespace creg
