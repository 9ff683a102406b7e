// A step along a descent direction that meets the strong Wolfe conditions, after Moré and Thuente:
// an interval of uncertainty that is known to hold such steps, shrunk by safeguarded cubic and
// quadratic interpolation.
#pragma once

namespace creg::learn {

struct WolfeConditions {
  double decrease = 1e-3;  ///< f(t) <= f(0) + decrease * t * f'(0)
  double curvature = 0.9;  ///< |f'(t)| <= curvature * |f'(0)|
  double width = 0.1;      ///< give up below this width of the interval, relative to its end
  double longest = 1e10;   ///< longest step
};

class LineSearch {
 public:
  /// `value` and `slope` at 0, with slope < 0; `step` > 0 is tried first.
  LineSearch(double value, double slope, double step, const WolfeConditions& conditions = {});

  /// The step to evaluate next or, when finished, the one taken.
  double step() const { return current_.at; }
  /// Takes what was found at step(). True when the search has ended: the conditions hold, or the
  /// interval is as small as it may get.
  bool advance(double value, double slope);

 private:
  struct Point {
    double at = 0;
    double value = 0;
    double slope = 0;
  };

  static double cubic_share(const Point& from, const Point& to);
  double next_step(const Point& low, const Point& high, const Point& trial);
  void shrink(Point& low, Point& high, const Point& trial);

  WolfeConditions conditions_;
  Point start_;
  Point low_;   // the best so far
  Point high_;  // the other end of the interval
  Point current_;
  bool bracketed_ = false;
  bool sufficient_ = false;  // a step with enough decrease and a slope upwards was seen
  double least_ = 0;         // bounds of the next step
  double most_;
  double width_;
  double previous_width_;
};

}  // namespace creg::learn
