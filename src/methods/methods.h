// The factories behind make_method, one per file.
#pragma once

#include "creg/methods/method.h"

namespace creg {

std::unique_ptr<Method> make_dgi(const MethodOptions& options, ParameterList& parameters);
std::unique_ptr<Method> make_gcn_neg(const MethodOptions& options, ParameterList& parameters);
std::unique_ptr<Method> make_lc(const MethodOptions& options, ParameterList& parameters);
std::unique_ptr<Method> make_ml(const MethodOptions& options, ParameterList& parameters);

}  // namespace creg
