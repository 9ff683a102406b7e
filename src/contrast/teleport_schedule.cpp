#include "contrast/teleport_schedule.h"

#include <cmath>

namespace creg {

double teleport_of(TeleportSchedule schedule, int epoch, int epochs) {
  constexpr double start = 0.9;
  constexpr double range = 0.8;
  constexpr double steepness = 3;
  const double t = (epoch + 1.0) / (epochs + 1.0);
  switch (schedule) {
    case TeleportSchedule::log:
      return start - range * std::log(t + std::exp(-steepness)) / steepness;
    case TeleportSchedule::linear:
      return start - range * t;
    case TeleportSchedule::exponential:
      return start - range * std::expm1(steepness * t) / std::expm1(steepness);
    case TeleportSchedule::fixed:
      break;
  }
  return start;
}

}  // namespace creg
