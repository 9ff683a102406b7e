// WikiCS: one JSON file, data.json, of a few hundred megabytes of numbers.
//
//   features        a list of numbers per node
//   labels          a class per node
//   links           the targets of each node's links
//   train_masks     one list of true and false per split, as are val_masks and stopping_masks
//   test_mask       one list for all splits
//
// Every split takes its validation nodes from val_masks. Nodes of stopping_masks, which the authors
// set aside for early stopping, are left out of all parts; only a file without val_masks has its
// validation nodes taken from there. Other keys are passed over.
#pragma once

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "creg/io/dataset.h"
#include "io/file.h"

namespace creg {

/// As stored: directed, every link an entry. Splits are named "0", "1", …. The text is read once
/// and never held as a tree of values.
Graph read_wikics(const Context& context, const Bytes& bytes, const ReadOptions& reading = {});

}  // namespace creg
