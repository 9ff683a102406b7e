// Node splits by protocol name: which labelled nodes a classifier trains on, is chosen by and is
// measured on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "creg/core/context.h"
#include "creg/graph/graph.h"

namespace creg {

/// Every protocol that make_split knows, in the order in which help texts list them:
///   public                     the stored split of that name, else the stored ones in their order
///   ogb                        the same: the stored official split
///   per-class-20-30            per class 20 train, 30 val, the rest test; a class of 50 nodes or
///                              fewer is in no part (the paper's behaviour), which a notice says
///   per-class-20-30-keep-small the same, but a small class is split 20/30/50 %: none is lost
///   per-class-20-500-ovr       per class 20 train, or half of it where that is less, rounded up;
///   of
///                              all the rest together 500 val, or half of it; the others test
///   random-10-10-80            of n labelled nodes floor(n/10) train, floor(n/10) val, rest test
///   random-60-20-20            floor(3n/5) train, floor(n/5) val, rest test
///   random-10-90-ovr           floor(n/10) train, no val, rest test
///   by-id                      consecutive thirds in node order: floor(n/3), floor(n/3), rest;
///                              "by-id:A/B/C" takes parts in the proportion of these numbers
std::vector<std::string> split_protocols();

/// The split of `graph` by `protocol`, or its stored split of that name. An unlabelled node is in
/// no part. A pure function of (graph, protocol, seed, index): for seeded protocols `index` numbers
/// independent splits of one seed; for stored ones it counts those named `protocol` or
/// `protocol`-<anything>, or all where `public` or `ogb` names none, in stored order. Parts ascend;
/// an empty part that the protocol promises is an error.
///
/// Small classes of per-class-20-30-keep-small: of n nodes max(1, floor(n/5)) train, then
/// max(1, floor(3n/10)) val where at least two are left, the rest test.
Split make_split(const Context& context, const Graph& graph, std::string_view protocol,
                 std::uint64_t seed, int index = 0);

/// How many splits a protocol has: the stored ones that it counts, 1 for by-id. Nothing for seeded
/// protocols, which draw as many as are asked for, and for unknown names.
std::optional<int> fixed_split_count(const Graph& graph, std::string_view protocol);

}  // namespace creg
