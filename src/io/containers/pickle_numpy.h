// Arrays and sparse matrices out of a pickle's value tree.
#pragma once

#include <string>

#include "creg/graph/graph.h"
#include "io/containers/ndarray.h"
#include "io/containers/pickle.h"

namespace creg {

/// The numpy.ndarray that `value` describes; `what` names it in messages. Its bytes stay in the
/// pickle's file.
NdArray array_from_pickle(const Pickle& pickle, const PickleValue& value, const std::string& what);

/// A pickle of one scipy.sparse.csr_matrix.
CsrMatrix csr_from_pickle(const Pickle& pickle);

}  // namespace creg
