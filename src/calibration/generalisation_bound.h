// The bound on the mean classifier's loss by the contrastive loss (Theorem 1), term by term.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "calibration/class_spectrum.h"
#include "creg/core/context.h"
#include "creg/graph/graph.h"

namespace creg {

enum class Knowledge {
  exact,      ///< of the labelled nodes, up to rounding
  estimated,  ///< from draws, or a sum that holds such a term
  unknown,    ///< no value can be given
};
std::string_view knowledge_name(Knowledge knowledge);

struct BoundTerm {
  std::string name;  ///< short and without blanks: "l_sup"
  std::optional<double> value;
  Knowledge knowledge = Knowledge::exact;
  std::optional<double> standard_error;  ///< of an estimated one
  std::string words;                     ///< what it is and how it is known, in one line
};

struct BoundOptions {
  std::int64_t triples = 100'000;  ///< drawn for each of the two contrastive losses; 2 or more
  double delta = 0.05;             ///< the bound may fail with this chance
  std::int64_t samples = 0;        ///< M; 0: the number of labelled nodes
};

struct GeneralisationBound {
  BoundTerm l_sup;            ///< the left side: loss of the mean classifier
  BoundTerm l_nce_different;  ///< L_nce with negatives of other classes
  BoundTerm tau;
  BoundTerm beta;
  BoundTerm s_f;
  BoundTerm beta_s_f;
  BoundTerm eta;
  BoundTerm radius;
  BoundTerm gen_closed;  ///< Gen_M without Rademacher's part
  BoundTerm eta_gen_closed;
  BoundTerm gen_rademacher;  ///< unknown
  BoundTerm right_side_without_rademacher;
  bool left_is_below = false;  ///< of what is known of the right side

  /// Class collision: L_nce^= <= s(f) + 2 log 2. The paper prints 4 s(f), but the 4 is in s(f).
  /// s(f) takes classes by rho, L_nce^= by rho²: the lemma is certain as long as no class has a
  /// share above 4 tau.
  BoundTerm l_nce_same;
  BoundTerm collision_bound;
  bool collision_holds = false;

  std::int64_t samples = 0;  ///< M
  std::int64_t triples = 0;
  double delta = 0;

  /// All of them in the order in which they are to be read.
  std::array<const BoundTerm*, 14> terms() const;
};

struct BoundResult {
  std::optional<GeneralisationBound> bound;
  std::string reason;  ///< why there is none
};

/// Classes are those of the labels, rho their shares, x of class c uniform among its nodes:
///   L_sup      = E[-log sigma(h·mu_c) - log sigma(-h·mu_c')], (c, c') ~ rho x rho with c != c'
///   L_nce^{!=} = E[-log sigma(h·h+) - log sigma(-h·h-)], x+ of class c (it may be x), x- of c'
///   L_nce^=    = the same with c' = c, (c, c') ~ rho x rho
/// `spectrum` is that of the same embedding and labels. With one class tau is 1 and the theorem
/// says nothing. Draws are by the Context's seed; nothing depends on the number of threads.
BoundResult generalisation_bound(const Context& context, const DenseMatrix& embedding,
                                 std::span<const std::int32_t> labels,
                                 const ClassSpectrum& spectrum, const BoundOptions& options = {});

}  // namespace creg
