// What every call needs to know about where and how it runs: passed, never global.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "creg/core/log.h"
#include "creg/core/precision.h"
#include "creg/core/progress.h"

namespace creg {

class ThreadPool;

enum class DeviceType { cpu, cuda };

struct Device {
  DeviceType type = DeviceType::cpu;
  int index = 0;
  std::string name() const;
  /// "cpu", "cuda" or "cuda:1"; anything else is an input error.
  static Device parse(std::string_view text);
};

class Context {
 public:
  struct Options {
    Device device;
    Precision precision = Precision::fp32;
    int threads = 0;  ///< 0: all cores this process may use
    std::uint64_t seed = 0;
    std::shared_ptr<LogSink> log;            ///< null: silent
    std::shared_ptr<ProgressSink> progress;  ///< null: silent
    std::shared_ptr<const std::atomic<bool>> stop;
  };

  Context() : Context(Options{}) {}
  explicit Context(Options options);

  const Device& device() const { return options_.device; }
  Precision precision() const { return options_.precision; }
  int threads() const { return options_.threads; }
  std::uint64_t seed() const { return options_.seed; }
  LogSink& log() const { return *options_.log; }
  ProgressSink& progress() const { return *options_.progress; }
  ThreadPool& pool() const { return *pool_; }
  const Options& options() const { return options_; }

  /// The same log, progress and threads with another seed.
  Context with_seed(std::uint64_t seed) const;

  bool stopped() const { return options_.stop && options_.stop->load(std::memory_order_relaxed); }
  /// Throws Interrupted after Ctrl-C; long loops call it between pieces.
  void throw_if_stopped() const;

 private:
  Options options_;
  std::shared_ptr<ThreadPool> pool_;
};

/// Cores this process may run on (its CPU affinity, not the machine's size).
int available_cores();

/// This machine's memory in bytes.
std::int64_t physical_memory();

}  // namespace creg
