// From what is asked for (DataSpec) to a dataset.
#pragma once

#include "creg/core/context.h"
#include "creg/io/dataset.h"
#include "creg/run/run.h"
#include "io/dataset_size.h"

namespace creg {

/// An error before anything is read or made where the graph, whose size is known, would take more
/// memory than there is.
Dataset open_data(const Context& context, const DataSpec& spec);

/// Its sizes, without reading it.
DatasetSize measure_data(const Context& context, const DataSpec& spec);

/// The dataset, prepared for training with the transforms asked for.
Graph open_graph(const Context& context, const DataSpec& spec);

}  // namespace creg
