#include "calibration/generalisation_bound.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "calibration/node_pairs.h"
#include "calibration/ordered_sum.h"
#include "core/parallel.h"
#include "core/text.h"
#include "creg/core/error.h"
#include "creg/core/progress.h"
#include "creg/core/random.h"
#include "learn/row_blocks.h"

namespace creg {
namespace {

using calibration::dot;
using calibration::ordered_sum;

/// -log sigma(x), for any x.
double minus_log_sigma(double x) {
  return std::max(-x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

/// The labelled nodes, class by class.
struct ClassMembers {
  std::vector<std::int32_t> nodes;
  std::vector<std::int64_t> offsets;  ///< classes + 1

  std::size_t classes() const { return offsets.size() - 1; }
  std::int64_t size(std::size_t c) const { return offsets[c + 1] - offsets[c]; }
  std::int64_t labelled() const { return offsets.back(); }
};

ClassMembers members_of(std::span<const std::int32_t> labels, const ClassSpectrum& spectrum) {
  ClassMembers out;
  out.offsets.push_back(0);
  std::vector<std::size_t> place;  // by label
  for (const ClassMoments& one : spectrum.classes) {
    place.resize(static_cast<std::size_t>(one.label) + 1, spectrum.classes.size());
    place[static_cast<std::size_t>(one.label)] = out.offsets.size() - 1;
    out.offsets.push_back(out.offsets.back() + one.nodes);
  }
  out.nodes.resize(static_cast<std::size_t>(out.labelled()));
  std::vector<std::int64_t> next = out.offsets;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] == unlabelled) continue;
    const auto label = static_cast<std::size_t>(labels[i]);
    const std::size_t c = label < place.size() ? place[label] : spectrum.classes.size();
    invariant(c < out.classes() && next[c] < out.offsets[c + 1],
              "the spectrum is that of these labels");
    out.nodes[static_cast<std::size_t>(next[c]++)] = static_cast<std::int32_t>(i);
  }
  for (std::size_t c = 0; c < out.classes(); ++c) {
    invariant(next[c] == out.offsets[c + 1], "the spectrum is that of these labels");
  }
  return out;
}

/// The loss of the mean classifier. Both passes are those of a linear classifier whose outputs are
/// the classes: the first takes the means as the gradient of the members' shares.
double mean_classifier_loss(const Context& context, const DenseMatrix& embedding,
                            const ClassMembers& members, double tau) {
  const std::size_t classes = members.classes();
  std::vector<std::int32_t> class_of(members.nodes.size());
  for (std::size_t c = 0; c < classes; ++c) {
    std::fill(class_of.begin() + members.offsets[c], class_of.begin() + members.offsets[c + 1],
              static_cast<std::int32_t>(c));
  }
  ProgressTask progress(context, "loss of the mean classifier", 2 * members.labelled(), "nodes");
  learn::RowBlocks blocks(context, embedding, members.nodes, static_cast<std::int64_t>(classes));
  const std::int64_t cols = blocks.cols();
  learn::AlignedVector zero(static_cast<std::size_t>(blocks.coefficients()), 0.0);
  learn::AlignedVector means(zero.size());
  blocks.scores_and_gradient(
      zero,
      [&](std::int64_t, std::int64_t first, std::int64_t count, double* scores) {
        for (std::int64_t i = 0; i < count; ++i) {
          const auto c = static_cast<std::size_t>(class_of[static_cast<std::size_t>(first + i)]);
          scores[i * cols + static_cast<std::int64_t>(c)] =
              1 / static_cast<double>(members.size(c));
        }
        progress.advance(count);
      },
      means);
  // The gradient of the intercepts: there are none here.
  std::fill(means.end() - cols, means.end(), 0.0);

  const auto labelled = static_cast<double>(members.labelled());
  std::vector<double> sums(static_cast<std::size_t>(blocks.chunks()), 0.0);
  blocks.scores(means, [&](std::int64_t chunk, std::int64_t first, std::int64_t count,
                           const double* scores) {
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto own = static_cast<std::size_t>(class_of[static_cast<std::size_t>(first + i)]);
      const double* const row = scores + i * cols;
      for (std::size_t c = 0; c < classes; ++c) {
        const double share = static_cast<double>(members.size(c)) / labelled;
        sum += c == own ? (1 - share) * minus_log_sigma(row[c]) : share * minus_log_sigma(-row[c]);
      }
    }
    sums[static_cast<std::size_t>(chunk)] += sum;
    progress.advance(count);
  });
  progress.finish();
  double total = 0;
  for (const double sum : sums) total += sum;
  return total / (labelled * (1 - tau));
}

enum class Negatives { other_classes, same_class };

/// Streams of other samplings count their rounds from 0: these two are out of their reach.
std::uint32_t stream_round(Negatives negatives) {
  return negatives == Negatives::other_classes ? 0x7ff0'0001U : 0x7ff0'0002U;
}

struct Moments {
  double sum = 0;
  double squares = 0;
  Moments& operator+=(const Moments& other) {
    sum += other.sum;
    squares += other.squares;
    return *this;
  }
};

struct Estimate {
  double mean = 0;
  double standard_error = 0;
};

class TripleSampler {
 public:
  TripleSampler(const ClassMembers& members, Negatives negatives)
      : members_(members), negatives_(negatives) {
    // rho_c rho_c' in whole numbers: chances are exact, and below 2^62.
    std::uint64_t sum = 0;
    for (std::size_t c = 0; c < members.classes(); ++c) {
      const auto size = static_cast<std::uint64_t>(members.size(c));
      const auto all = static_cast<std::uint64_t>(members.labelled());
      sum += size * (negatives == Negatives::other_classes ? all - size : size);
      cumulative_.push_back(sum);
    }
  }

  struct Triple {
    std::int32_t x = 0;
    std::int32_t positive = 0;
    std::int32_t negative = 0;
  };

  Triple draw(RandomStream& stream) const {
    const std::uint64_t ticket = stream.below(cumulative_.back());
    const auto c = static_cast<std::size_t>(
        std::upper_bound(cumulative_.begin(), cumulative_.end(), ticket) - cumulative_.begin());
    const auto size = static_cast<std::uint64_t>(members_.size(c));
    const auto first = static_cast<std::uint64_t>(members_.offsets[c]);
    Triple out;
    out.x = members_.nodes[first + stream.below(size)];
    out.positive = members_.nodes[first + stream.below(size)];
    if (negatives_ == Negatives::same_class) {
      out.negative = members_.nodes[first + stream.below(size)];
    } else {
      // One of the others: those behind the class move up by its size.
      std::uint64_t place = stream.below(static_cast<std::uint64_t>(members_.labelled()) - size);
      if (place >= first) place += size;
      out.negative = members_.nodes[place];
    }
    return out;
  }

 private:
  const ClassMembers& members_;
  Negatives negatives_;
  std::vector<std::uint64_t> cumulative_;
};

Estimate contrastive_loss(const Context& context, const DenseMatrix& embedding,
                          const ClassMembers& members, Negatives negatives, std::int64_t triples,
                          ProgressTask& progress) {
  const TripleSampler sampler(members, negatives);
  constexpr std::int64_t grain = 1024;
  const auto loss = [&](std::int64_t item) {
    RandomStream stream(context.seed(), Purpose::calibration_pairs, stream_round(negatives),
                        static_cast<std::uint64_t>(item));
    const TripleSampler::Triple t = sampler.draw(stream);
    const auto h = embedding.row(t.x);
    return minus_log_sigma(dot(h, embedding.row(t.positive))) +
           minus_log_sigma(-dot(h, embedding.row(t.negative)));
  };
  // Deviations from the first loss, so that the variance of nearly equal ones is not lost.
  const double origin = loss(0);
  const auto found =
      ordered_sum<Moments>(context, triples, grain, [&](std::int64_t begin, std::int64_t end) {
        Moments sum;
        for (std::int64_t i = begin; i < end; ++i) {
          const double value = loss(i) - origin;
          sum.sum += value;
          sum.squares += value * value;
        }
        progress.advance(end - begin);
        return sum;
      });
  const auto count = static_cast<double>(triples);
  const double mean = found.sum / count;
  const double variance = std::max(0.0, found.squares - count * mean * mean) / (count - 1);
  return {origin + mean, std::sqrt(variance / count)};
}

void check_options(const BoundOptions& options) {
  const bool chance = options.delta > 0 && options.delta < 1;
  if (!chance) {
    fail_input({.what = "delta is no chance",
                .found = std::to_string(options.delta),
                .expected = "above 0 and below 1"});
  }
  if (options.triples < 2) {
    fail_input({.what = "too few triples to estimate a loss and its error",
                .found = std::to_string(options.triples),
                .expected = "2 or more"});
  }
  if (options.samples < 0) {
    fail_input({.what = "the number of samples M is negative",
                .found = std::to_string(options.samples),
                .expected = "1 or more, or 0 for the number of labelled nodes"});
  }
}

BoundTerm exact(std::string name, double value, std::string words) {
  return {.name = std::move(name), .value = value, .words = std::move(words)};
}

BoundTerm estimated(std::string name, const Estimate& estimate, std::string words) {
  return {.name = std::move(name),
          .value = estimate.mean,
          .knowledge = Knowledge::estimated,
          .standard_error = estimate.standard_error,
          .words = std::move(words)};
}

}  // namespace

std::string_view knowledge_name(Knowledge knowledge) {
  switch (knowledge) {
    case Knowledge::estimated:
      return "estimated";
    case Knowledge::unknown:
      return "unknown";
    case Knowledge::exact:
      break;
  }
  return "exact";
}

std::array<const BoundTerm*, 14> GeneralisationBound::terms() const {
  return {&l_sup,
          &l_nce_different,
          &tau,
          &beta,
          &s_f,
          &beta_s_f,
          &eta,
          &radius,
          &gen_closed,
          &eta_gen_closed,
          &gen_rademacher,
          &right_side_without_rademacher,
          &l_nce_same,
          &collision_bound};
}

BoundResult generalisation_bound(const Context& context, const DenseMatrix& embedding,
                                 std::span<const std::int32_t> labels,
                                 const ClassSpectrum& spectrum, const BoundOptions& options) {
  check_options(options);
  invariant(static_cast<std::int64_t>(labels.size()) == embedding.rows, "a label per row");
  const ClassMembers members = members_of(labels, spectrum);
  if (members.classes() < 2) {
    return {.reason =
                "all labelled nodes are of one class (tau = 1): the theorem divides by "
                "1 - tau and says nothing"};
  }
  learn::check_rows(embedding, members.nodes);
  const double tau = spectrum.tau;
  const double beta = tau / (1 - tau);
  const double eta = 1 / (1 - tau);
  const std::int64_t samples = options.samples > 0 ? options.samples : members.labelled();
  const double square = spectrum.radius * spectrum.radius;
  const double closed = 8 * minus_log_sigma(-square) *
                        std::sqrt(std::log(4 / options.delta) / (2 * static_cast<double>(samples)));
  const double left = mean_classifier_loss(context, embedding, members, tau);
  ProgressTask progress(context, "drawing triples", 2 * options.triples, "triples");
  const Estimate different = contrastive_loss(context, embedding, members, Negatives::other_classes,
                                              options.triples, progress);
  const Estimate same = contrastive_loss(context, embedding, members, Negatives::same_class,
                                         options.triples, progress);
  progress.finish();

  const std::string drawn = "estimated from " + with_commas(options.triples) + " random triples";
  GeneralisationBound out{.samples = samples, .triples = options.triples, .delta = options.delta};
  out.l_sup = exact("l_sup", left,
                    "loss of the mean classifier, the left side; exact over all labelled nodes");
  out.l_nce_different = estimated("l_nce_different", different,
                                  "contrastive loss with one negative of another class; " + drawn);
  out.tau = exact("tau", tau, "chance that two random nodes are of one class; exact");
  out.beta = exact("beta", beta, "tau / (1 - tau); exact");
  out.s_f = exact("s_f", spectrum.s_f,
                  "4 sqrt of the mean squared product of two nodes of a class; exact");
  out.beta_s_f = exact("beta_s_f", beta * spectrum.s_f, "beta s(f), class collision; exact");
  out.eta = exact("eta", eta, "1 / (1 - tau); exact");
  out.radius = exact("radius", spectrum.radius,
                     "R, the largest length of a labelled node's embedding; exact for these nodes");
  out.gen_closed =
      exact("gen_closed", closed,
            "-8 log(sigma(-R^2)) sqrt(log(4 / delta) / (2 M)), the part of Gen_M in closed form, "
            "with M = " +
                with_commas(samples) +
                (options.samples > 0 ? " as given; exact" : " labelled nodes; exact"));
  out.eta_gen_closed = exact("eta_gen_closed", eta * closed, "eta times that part; exact");
  out.gen_rademacher = {.name = "gen_rademacher",
                        .value = std::nullopt,
                        .knowledge = Knowledge::unknown,
                        .words =
                            "8 R R_S(F) / M, the other part of Gen_M; unknown: the Rademacher "
                            "complexity of a network's functions cannot be measured"};
  const double right = different.mean + beta * spectrum.s_f + eta * closed;
  out.right_side_without_rademacher = estimated(
      "right_side_without_rademacher", {right, different.standard_error},
      "l_nce_different + beta s(f) + eta times the closed part of Gen_M; estimated in its first "
      "term, and less than the right side by the unknown one");
  out.left_is_below = left <= right;
  out.l_nce_same = estimated("l_nce_same", same,
                             "contrastive loss with the negative of the same class; " + drawn);
  out.collision_bound = exact("collision_bound", spectrum.s_f + 2 * std::numbers::ln2,
                              "s(f) + 2 log 2, the bound on l_nce_same; exact");
  out.collision_holds = same.mean <= *out.collision_bound.value;
  return {.bound = std::move(out)};
}

}  // namespace creg
