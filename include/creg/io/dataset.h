// From what a user writes after --dataset to a graph: names, generators, paths and own files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/io/user_dataset.h"

namespace creg {

struct CatalogueEntry;

/// The dataset taken when none is named: a generator, so it is inside the program.
inline constexpr std::string_view default_dataset = "synthetic:citation";

struct Dataset {
  std::string source;  ///< where it came from: a path or the generator's name
  std::string format;
  Graph raw;                            ///< as stored: repeats, loops and all
  std::vector<std::string> transforms;  ///< what prepare_graph applies by default
  std::string protocol;                 ///< its own evaluation protocol; empty: none
  const CatalogueEntry* entry = nullptr;
};

/// `name` is a catalogue name, synthetic:NAME[@scale], or a path; empty means default_dataset.
/// Files whose checksums are the catalogue's are that dataset, with its transforms and protocol;
/// any other path has neither. A name that is nothing of these is an input error with suggestions.
Dataset open_dataset(const Context& context, const std::string& name,
                     const std::filesystem::path& data_dir);

/// A user's own files.
Dataset open_user_dataset(const Context& context, const UserDatasetSpec& spec);

/// What training sees: the dataset's transforms, then `more` by name, then repeats and loops
/// merged, and both directions of every edge unless the graph is directed. Notes through the log
/// what was merged.
Graph prepare_graph(const Context& context, const Dataset& dataset,
                    const std::vector<std::string>& more = {});

}  // namespace creg
