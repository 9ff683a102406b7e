#include "creg/core/log.h"

namespace creg {
namespace {

class SilentLog final : public LogSink {
 public:
  void write(LogLevel /*level*/, std::string_view /*message*/) override {}
};

}  // namespace

std::shared_ptr<LogSink> make_silent_log() {
  return std::make_shared<SilentLog>();
}

}  // namespace creg
