// The factories behind make_method, one per file.
#pragma once

#include "creg/methods/method.h"

namespace creg {

std::unique_ptr<Method> make_bgrl(const MethodOptions& options, ParameterList& parameters);
std::unique_ptr<Method> make_dgi(const MethodOptions& options, ParameterList& parameters);
std::unique_ptr<Method> make_digcl(const MethodOptions& options, ParameterList& parameters);
std::unique_ptr<Method> make_gca(const MethodOptions& options, ParameterList& parameters);
std::unique_ptr<Method> make_gcn_neg(const MethodOptions& options, ParameterList& parameters);
std::unique_ptr<Method> make_gcn_supervised(const MethodOptions& options,
                                            ParameterList& parameters);
std::unique_ptr<Method> make_gdcl(const MethodOptions& options, ParameterList& parameters);
std::unique_ptr<Method> make_gmi(const MethodOptions& options, ParameterList& parameters);
std::unique_ptr<Method> make_grace(const MethodOptions& options, ParameterList& parameters);
std::unique_ptr<Method> make_graphmae(const MethodOptions& options, ParameterList& parameters);
std::unique_ptr<Method> make_lc(const MethodOptions& options, ParameterList& parameters);
std::unique_ptr<Method> make_ml(const MethodOptions& options, ParameterList& parameters);
std::unique_ptr<Method> make_mvgrl(const MethodOptions& options, ParameterList& parameters);
std::unique_ptr<Method> make_node2vec(const MethodOptions& options, ParameterList& parameters);

}  // namespace creg
