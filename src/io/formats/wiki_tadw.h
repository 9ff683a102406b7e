// Wiki in TADW's text form: three files of numbers separated by tabs.
//
//   graph.txt   u  v               directed, ids from 0, repeats and self loops included
//   group.txt   id  label          one line per node, in order
//   tfidf.txt   row  column  value sorted by row, then column
#pragma once

#include <filesystem>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/io/dataset.h"
#include "io/file.h"

namespace creg {

struct WikiFiles {
  Bytes graph;
  Bytes group;
  Bytes tfidf;
};

/// As stored: directed, every line of graph.txt an entry, tf-idf values unscaled. Labels in use are
/// numbered from 0 in ascending order; the class names are the labels in the file.
Graph read_wiki(const Context& context, const WikiFiles& files, const ReadOptions& reading = {});
Graph read_wiki(const Context& context, const std::filesystem::path& folder,
                const ReadOptions& reading = {});

}  // namespace creg
