// What a dataset takes from the catalogue once it is known to be there.
#pragma once

#include "creg/io/dataset.h"
#include "io/catalogue.h"

namespace creg {

inline void adopt(Dataset& dataset, const CatalogueEntry& entry) {
  dataset.entry = &entry;
  dataset.raw.name = entry.name;
  dataset.protocol = entry.protocol;
  dataset.transforms.assign(entry.transforms.begin(), entry.transforms.end());
}

}  // namespace creg
