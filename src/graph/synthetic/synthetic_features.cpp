#include "graph/synthetic/synthetic_features.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "creg/core/progress.h"
#include "creg/core/random.h"

namespace creg {
namespace {

constexpr std::int64_t feature_node_grain = 1 << 10;
constexpr std::int64_t community_grain = 16;
// Sub-streams of Purpose::generator_topics.
constexpr std::uint32_t class_topics = 0;
constexpr std::uint32_t community_topics = 1;
constexpr std::uint32_t word_order = 2;

// `rows` rows of `cols` normal numbers, one stream per row.
std::vector<float> normal_rows(const Context& context, std::uint64_t seed, std::uint32_t kind,
                               std::size_t rows, std::size_t cols) {
  std::vector<float> values(rows * cols);
  parallel_for(context, 0, static_cast<std::int64_t>(rows), community_grain,
               [&](std::int64_t first, std::int64_t last) {
                 for (auto r = static_cast<std::size_t>(first); r < static_cast<std::size_t>(last);
                      ++r) {
                   RandomStream stream(seed, Purpose::generator_topics, kind, r);
                   for (std::size_t c = 0; c < cols; ++c) {
                     values[r * cols + c] = static_cast<float>(stream.normal());
                   }
                 }
               });
  return values;
}

// For every community and column: its class's offset plus its own.
std::vector<float> community_offsets(const Context& context, const GeneratorSpec& spec,
                                     const BlockModel& blocks) {
  const auto cols = static_cast<std::size_t>(spec.feature_count);
  const std::vector<float> of_class =
      normal_rows(context, spec.seed, class_topics, blocks.class_ranks.size(), cols);
  std::vector<float> offsets =
      normal_rows(context, spec.seed, community_topics, blocks.community_ranks.size(), cols);
  for (std::size_t k = 0; k < blocks.community_ranks.size(); ++k) {
    const auto c = static_cast<std::size_t>(blocks.class_of_community[k]);
    for (std::size_t w = 0; w < cols; ++w) {
      float& x = offsets[k * cols + w];
      x = static_cast<float>(spec.class_sharpness * of_class[c * cols + w] +
                             spec.community_sharpness * x);
    }
  }
  return offsets;
}

// The community whose topic a node writes about: its own, or a random one.
std::size_t topic_of(const GeneratorSpec& spec, const BlockModel& blocks, std::int64_t node,
                     RandomStream& stream) {
  const bool off_topic = stream.uniform_double() < spec.off_topic;
  const std::size_t other = stream.below(blocks.community_ranks.size());
  return off_topic
             ? other
             : static_cast<std::size_t>(blocks.community_of_node[static_cast<std::size_t>(node)]);
}

// Word distributions of all communities: a Zipf law over all words that every one shares, mixed
// with the same law tilted by the class and the community.
class Topics {
 public:
  Topics(const Context& context, const GeneratorSpec& spec, const BlockModel& blocks)
      : words_(static_cast<std::size_t>(spec.feature_count)) {
    std::vector<double> zipf(words_);
    RandomStream stream(spec.seed, Purpose::generator_topics, word_order);
    const std::vector<std::int32_t> order =
        random_permutation(static_cast<std::int32_t>(words_), stream);
    // The most frequent words are left out of such dictionaries: the law starts at the tenth.
    constexpr double first_rank = 9;
    for (std::size_t k = 0; k < words_; ++k) {
      zipf[static_cast<std::size_t>(order[k])] = 1 / (first_rank + static_cast<double>(k));
    }
    const double total = std::accumulate(zipf.begin(), zipf.end(), 0.0);
    const std::vector<float> offsets = community_offsets(context, spec, blocks);
    cumulative_.resize(offsets.size());
    parallel_for(context, 0, static_cast<std::int64_t>(blocks.community_ranks.size()),
                 community_grain, [&](std::int64_t first, std::int64_t last) {
                   std::vector<double> tilted(words_);
                   for (auto k = static_cast<std::size_t>(first);
                        k < static_cast<std::size_t>(last); ++k) {
                     for (std::size_t w = 0; w < words_; ++w) {
                       tilted[w] = zipf[w] * std::exp(offsets[k * words_ + w]);
                     }
                     const double sum = std::accumulate(tilted.begin(), tilted.end(), 0.0);
                     double reached = 0;
                     for (std::size_t w = 0; w < words_; ++w) {
                       reached += (1 - spec.background_share) * tilted[w] / sum +
                                  spec.background_share * zipf[w] / total;
                       cumulative_[k * words_ + w] = static_cast<float>(reached);
                     }
                   }
                 });
  }

  std::int32_t draw(std::size_t topic, RandomStream& stream) const {
    const auto begin = cumulative_.begin() + static_cast<std::ptrdiff_t>(topic * words_);
    const auto end = begin + static_cast<std::ptrdiff_t>(words_);
    const float reach = stream.uniform() * *(end - 1);
    return static_cast<std::int32_t>(std::min(std::upper_bound(begin, end, reach), end - 1) -
                                     begin);
  }

 private:
  std::size_t words_;
  std::vector<float> cumulative_;
};

// Distinct words of one document, ascending, with how often each was drawn.
struct Document {
  std::vector<std::int32_t> words;
  std::vector<std::int32_t> counts;
  std::vector<std::int32_t> drawn;

  void write(const GeneratorSpec& spec, const BlockModel& blocks, const Topics& topics,
             std::int64_t node) {
    RandomStream stream(spec.seed, Purpose::generator_features, 0,
                        static_cast<std::uint64_t>(node));
    const std::size_t topic = topic_of(spec, blocks, node, stream);
    // Lengths spread as in Cora: a deviation of 5 words and at most 30 at a mean of 18.
    const double length = std::round(spec.words * (1 + stream.normal() * 5 / 18));
    const auto wanted = static_cast<std::size_t>(std::clamp(
        length, 1.0, std::min(spec.words * 5 / 3, 0.5 * static_cast<double>(spec.feature_count))));
    constexpr std::size_t most_draws_per_word = 64;
    words.clear();
    counts.clear();
    for (std::size_t tries = 0; words.size() < wanted && tries < wanted * most_draws_per_word;
         ++tries) {
      const std::int32_t word = topics.draw(topic, stream);
      const auto place = std::lower_bound(words.begin(), words.end(), word);
      const auto index = place - words.begin();
      if (place != words.end() && *place == word) {
        ++counts[static_cast<std::size_t>(index)];
      } else {
        words.insert(place, word);
        counts.insert(counts.begin() + index, 1);
      }
    }
  }
};

// count / length * ln(documents / documents with the word), as float.
Buffer<float> tf_idf(const Context& context, const CsrMatrix& matrix,
                     std::span<const std::int32_t> counts) {
  std::vector<std::int64_t> documents(static_cast<std::size_t>(matrix.cols), 0);
  for (const std::int32_t word : matrix.columns) ++documents[static_cast<std::size_t>(word)];
  Buffer<float> values(matrix.nonzeros());
  parallel_for(
      context, 0, matrix.rows, feature_node_grain, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t r = first; r < last; ++r) {
          const std::int64_t begin = matrix.offsets[r];
          const std::int64_t end = matrix.offsets[r + 1];
          const auto length = static_cast<double>(
              std::accumulate(counts.begin() + begin, counts.begin() + end, std::int64_t{0}));
          for (std::int64_t e = begin; e < end; ++e) {
            const auto with_word =
                static_cast<double>(documents[static_cast<std::size_t>(matrix.columns[e])]);
            // One more document than there is, so that a word of every document keeps a value.
            const double idf = std::log(static_cast<double>(matrix.rows + 1) / with_word);
            values[e] = static_cast<float>(counts[static_cast<std::size_t>(e)] / length * idf);
          }
        }
      });
  return values;
}

CsrMatrix make_documents(const Context& context, const GeneratorSpec& spec,
                         const BlockModel& blocks) {
  const Topics topics(context, spec, blocks);
  const bool weighted = spec.features == SyntheticFeatures::tf_idf;
  const std::int64_t pieces = (spec.nodes + feature_node_grain - 1) / feature_node_grain;
  std::vector<std::vector<std::int32_t>> words(static_cast<std::size_t>(pieces));
  std::vector<std::vector<std::int32_t>> counts(static_cast<std::size_t>(pieces));
  Buffer<std::int64_t> offsets(spec.nodes + 1);
  offsets[0] = 0;
  ProgressTask progress(context, "generating " + spec.name + ": features", spec.nodes);
  parallel_for(
      context, 0, spec.nodes, feature_node_grain, [&](std::int64_t first, std::int64_t last) {
        const auto piece = static_cast<std::size_t>(first / feature_node_grain);
        Document document;
        for (std::int64_t node = first; node < last; ++node) {
          document.write(spec, blocks, topics, node);
          words[piece].insert(words[piece].end(), document.words.begin(), document.words.end());
          if (weighted) {
            counts[piece].insert(counts[piece].end(), document.counts.begin(),
                                 document.counts.end());
          }
          offsets[node + 1] = static_cast<std::int64_t>(document.words.size());
        }
        progress.advance(last - first);
      });
  std::inclusive_scan(offsets.begin(), offsets.end(), offsets.begin());
  const auto join = [&](const std::vector<std::vector<std::int32_t>>& parts) {
    Buffer<std::int32_t> all(offsets[spec.nodes]);
    parallel_tasks(context, pieces, [&](std::int64_t piece) {
      const auto& part = parts[static_cast<std::size_t>(piece)];
      std::copy(part.begin(), part.end(), all.data() + offsets[piece * feature_node_grain]);
    });
    return all;
  };
  Buffer<std::int32_t> columns = join(words);
  Buffer<std::int32_t> all_counts = weighted ? join(counts) : Buffer<std::int32_t>();
  CsrMatrix matrix = {.rows = spec.nodes,
                      .cols = spec.feature_count,
                      .offsets = std::move(offsets),
                      .columns = std::move(columns)};
  if (weighted) matrix.values = tf_idf(context, matrix, all_counts.span());
  progress.finish();
  return matrix;
}

DenseMatrix make_dense(const Context& context, const GeneratorSpec& spec,
                       const BlockModel& blocks) {
  const std::vector<float> centres = community_offsets(context, spec, blocks);
  const std::int64_t cols = spec.feature_count;
  Buffer<float> values(spec.nodes * cols);
  ProgressTask progress(context, "generating " + spec.name + ": features", spec.nodes);
  parallel_for(context, 0, spec.nodes, feature_node_grain,
               [&](std::int64_t first, std::int64_t last) {
                 for (std::int64_t node = first; node < last; ++node) {
                   RandomStream stream(spec.seed, Purpose::generator_features, 0,
                                       static_cast<std::uint64_t>(node));
                   const float* centre = centres.data() + topic_of(spec, blocks, node, stream) *
                                                              static_cast<std::size_t>(cols);
                   float* row = values.data() + node * cols;
                   for (std::int64_t c = 0; c < cols; ++c) {
                     row[c] = centre[c] + static_cast<float>(stream.normal());
                   }
                 }
                 progress.advance(last - first);
               });
  progress.finish();
  return {.rows = spec.nodes, .cols = cols, .values = std::move(values)};
}

}  // namespace

Features make_features(const Context& context, const GeneratorSpec& spec,
                       const BlockModel& blocks) {
  if (spec.features == SyntheticFeatures::dense) return make_dense(context, spec, blocks);
  return make_documents(context, spec, blocks);
}

}  // namespace creg
