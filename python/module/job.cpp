#include "job.h"

#include <pthread.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "creg/core/error.h"
#include "held_object.h"
#include "names.h"
#include "ops/runtime.h"
#include "ops/tensor_memory.h"

namespace creg::python {
namespace {

/// How often the waiting thread looks for Ctrl-C.
constexpr std::chrono::milliseconds between_looks{50};

class PythonLog final : public LogSink {
 public:
  explicit PythonLog(py::object call) : call_(held(std::move(call))) {}

  void write(LogLevel level, std::string_view message) override {
    constexpr std::array names = {"debug", "info", "notice", "warning"};
    with_python([&] {
      (*call_)(names.at(static_cast<std::size_t>(level)),
               py::reinterpret_steal<py::object>(PyUnicode_DecodeUTF8(
                   message.data(), static_cast<py::ssize_t>(message.size()), "backslashreplace")));
    });
  }

 private:
  HeldObject call_;
};

class PythonProgress final : public ProgressSink {
 public:
  explicit PythonProgress(py::object call) : call_(held(std::move(call))) {}

  void show(const ProgressState& state, bool last) override {
    with_python([&] {
      py::dict said;
      said["label"] = state.label;
      said["unit"] = state.unit;
      said["total"] = state.total;
      said["done"] = state.done;
      said["skipped"] = state.skipped;
      said["note"] = state.note;
      said["seconds"] = state.seconds;
      said["finished"] = state.finished;
      (*call_)(said, last);
    });
  }

 private:
  HeldObject call_;
};

/// Threads do not survive a fork, and those of OpenMP are waited for without end.
std::atomic<bool>& is_forked_child() {
  static std::atomic<bool> forked{false};
  return forked;
}

/// What the engine changes in its host's process while it computes: the numbers of threads that
/// libtorch and the BLAS have, and memory that is kept for the next tensor. Put back, and given
/// back, when the last of the jobs that run at a time is done.
class BorrowedProcess {
 public:
  BorrowedProcess() {
    const std::lock_guard lock(mutex());
    if (jobs()++ > 0) return;
    before() = process_settings();
    hosts_memory().reset();
  }
  BorrowedProcess(const BorrowedProcess&) = delete;
  BorrowedProcess& operator=(const BorrowedProcess&) = delete;
  ~BorrowedProcess() {
    const std::lock_guard lock(mutex());
    if (--jobs() > 0) return;
    put_back(before());
    hosts_memory().emplace();
    release_kept_tensor_memory();
  }

 private:
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  static int& jobs() {
    static int count = 0;
    return count;
  }
  static ProcessSettings& before() {
    static ProcessSettings threads;
    return threads;
  }
  /// There between jobs: the host's tensors, and ours that live on, are freed as libtorch frees.
  static std::optional<PlainTensorMemory>& hosts_memory() {
    static std::optional<PlainTensorMemory> memory;
    return memory;
  }
};

/// While this lives, libgomp's threads sleep soon where they wait. They turn for milliseconds
/// before that, and on a busy machine take the time that those they wait for need, unless libgomp
/// has more threads than there are processors: so it is given a team of so many that does nothing.
/// The command sets GOMP_SPINCOUNT instead, which is read long before this module is loaded.
class SleepyThreads {
 public:
  SleepyThreads() {
    for (const char* const wish : {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"}) {
      if (std::getenv(wish) != nullptr) return;  // NOLINT(concurrency-mt-unsafe): nobody sets it
    }
    team_ = std::thread([this] {
      std::atomic<int> there{0};
#pragma omp parallel num_threads(static_cast <int>(std::thread::hardware_concurrency()) + 1)
      ++there;
      std::unique_lock lock(mutex_);
      over_.wait(lock, [&] { return is_over_; });
    });
  }
  SleepyThreads(const SleepyThreads&) = delete;
  SleepyThreads& operator=(const SleepyThreads&) = delete;
  ~SleepyThreads() {
    if (!team_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    over_.notify_one();
    team_.join();
  }

 private:
  std::mutex mutex_;
  std::condition_variable over_;
  bool is_over_ = false;
  std::thread team_;
};

/// A thread's state in the interpreter, made when it first calls Python and kept between calls: a
/// new one for each call costs as much as a small loss.
class KeptThreadState {
 public:
  KeptThreadState() : held_(PyGILState_Ensure()), state_(PyEval_SaveThread()) {}
  KeptThreadState(const KeptThreadState&) = delete;
  KeptThreadState& operator=(const KeptThreadState&) = delete;
  ~KeptThreadState() {
    PyEval_RestoreThread(state_);
    PyGILState_Release(held_);
  }

 private:
  PyGILState_STATE held_;
  PyThreadState* state_;
};

/// Of a job's own thread, else null.
std::optional<KeptThreadState>*& kept_thread_state() {
  thread_local std::optional<KeptThreadState>* kept = nullptr;
  return kept;
}

bool is_main_thread() {
  const py::object main = py::module_::import("threading").attr("main_thread")();
  return main.attr("ident").cast<unsigned long>() == PyThread_get_thread_ident();
}

/// The jobs that run. When the interpreter ends it ends the threads that wait for them wherever
/// they are, which C++ does not survive; so they are stopped and waited for before.
class RunningJob {
 public:
  /// `stop` is set when the interpreter ends, unless the main thread waits, which ends it.
  RunningJob(std::shared_ptr<std::atomic<bool>> stop, bool in_main_thread)
      : in_main_thread_(in_main_thread), stop_(std::move(stop)) {
    const std::lock_guard lock(all().mutex);
    if (in_main_thread_) return;
    refuse_when_over();
    all().stops.push_back(stop_);
  }
  RunningJob(const RunningJob&) = delete;
  RunningJob& operator=(const RunningJob&) = delete;
  /// Under Python's lock: whoever waits for this one has none to wait for.
  ~RunningJob() {
    if (in_main_thread_) return;
    const std::lock_guard lock(all().mutex);
    std::erase(all().stops, stop_);
    all().fewer.notify_all();
  }

  /// Under Python's lock. SystemExit ends a thread without a word.
  void refuse_if_over() const {
    if (in_main_thread_) return;
    const std::lock_guard lock(all().mutex);
    refuse_when_over();
  }

  /// For atexit.
  static void end_all() {
    {
      const std::lock_guard lock(all().mutex);
      all().over = true;
      for (const auto& stop : all().stops) *stop = true;
    }
    while (true) {
      {
        const py::gil_scoped_release no_gil;
        std::unique_lock lock(all().mutex);
        if (all().fewer.wait_for(lock, between_looks, [] { return all().stops.empty(); })) break;
      }
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    }
  }

 private:
  struct All {
    std::mutex mutex;
    std::condition_variable fewer;
    std::vector<std::shared_ptr<std::atomic<bool>>> stops;
    bool over = false;
  };
  static All& all() {
    static All one;
    return one;
  }
  static void refuse_when_over() {
    if (!all().over) return;
    PyErr_SetNone(PyExc_SystemExit);
    throw py::error_already_set();
  }

  bool in_main_thread_;
  std::shared_ptr<std::atomic<bool>> stop_;
};

}  // namespace

void refuse_forked_child() {
  if (!is_forked_child()) return;
  fail_environment({.what = "this process was forked from one that had contrast_reg loaded, and "
                            "its threads are gone",
                    .hint = "start workers by spawn: multiprocessing.get_context(\"spawn\")"});
}

PythonRaised::PythonRaised(py::error_already_set& error)
    : type_(held(error.type())),
      value_(held(error.value())),
      trace_(held(error.trace() ? error.trace() : py::none())) {}

void PythonRaised::raise() const {
  if (!trace_->is_none()) PyException_SetTraceback(value_->ptr(), trace_->ptr());
  PyErr_SetObject(type_->ptr(), value_->ptr());
}

void with_python(const std::function<void()>& call) {
  if (auto* const kept = kept_thread_state(); kept != nullptr && !*kept) kept->emplace();
  const py::gil_scoped_acquire gil;
  try {
    call();
  } catch (py::error_already_set& error) {
    throw PythonRaised(error);
  }
}

Job::Job(const std::string& device, const std::string& precision, int threads, std::uint64_t seed,
         py::object log, py::object progress) {
  options_.device = device == "auto" ? best_device() : Device::parse(device);
  if (threads < 0) {
    fail_input({.what = "a number of threads below 0",
                .file = "threads",
                .found = std::to_string(threads),
                .expected = "1 or more, or 0 for all cores"});
  }
  options_.precision = named<Precision>("precision", precision);
  options_.threads = threads;
  options_.seed = seed;
  if (!log.is_none()) options_.log = std::make_shared<PythonLog>(std::move(log));
  if (!progress.is_none())
    options_.progress = std::make_shared<PythonProgress>(std::move(progress));
}

void Job::run(const std::function<void(const Context&)>& work) const {
  refuse_forked_child();
  const auto stop = std::make_shared<std::atomic<bool>>(false);
  const bool in_main_thread = is_main_thread();
  const RunningJob running(stop, in_main_thread);
  try {
    work_beside(work, stop, in_main_thread);
  } catch (...) {
    running.refuse_if_over();
    throw;
  }
  running.refuse_if_over();
}

void Job::work_beside(const std::function<void(const Context&)>& work,
                      const std::shared_ptr<std::atomic<bool>>& stop,
                      bool looks_for_signals) const {
  Context::Options options = options_;
  options.stop = stop;
  std::exception_ptr thrown;
  std::mutex mutex;
  std::condition_variable ended;
  bool done = false;
  const py::gil_scoped_release no_gil;
  std::thread worker([&] {
    std::optional<KeptThreadState> state;
    kept_thread_state() = &state;
    try {
      const BorrowedProcess borrowed;
      const Context context(options);
      std::optional<SleepyThreads> sleepy;
      if (context.threads() > 1) sleepy.emplace();
      work(context);
    } catch (...) {
      thrown = std::current_exception();
    }
    state.reset();
    // Under the lock: whoever waits may be gone right after.
    const std::lock_guard lock(mutex);
    done = true;
    ended.notify_one();
  });
  std::exception_ptr signalled;
  const auto look_for_signals = [&] {
    try {
      with_python([] {
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      });
    } catch (const PythonRaised&) {
      // A second Ctrl-C changes nothing: the epoch ends first.
      if (!signalled) signalled = std::current_exception();
      *stop = true;
    }
  };
  {
    std::unique_lock lock(mutex);
    // Python tells no other thread of a signal.
    if (!looks_for_signals) ended.wait(lock, [&] { return done; });
    while (!ended.wait_for(lock, between_looks, [&] { return done; })) {
      lock.unlock();
      look_for_signals();
      lock.lock();
    }
  }
  worker.join();
  // Nor does one that came last: it would be raised on the way out of what the first one raises.
  if (signalled) look_for_signals();
  if (signalled) std::rethrow_exception(signalled);
  if (thrown) std::rethrow_exception(thrown);
}

void bind_job(py::module_& module) {
  pthread_atfork(nullptr, nullptr, [] { is_forked_child() = true; });
  py::module_::import("atexit").attr("register")(py::cpp_function(&RunningJob::end_all));
  py::class_<Job>(module, "Job")
      .def(py::init<const std::string&, const std::string&, int, std::uint64_t, py::object,
                    py::object>(),
           py::kw_only(), py::arg("device") = "cpu", py::arg("precision") = "fp32",
           py::arg("threads") = 0, py::arg("seed") = 0, py::arg("log") = py::none(),
           py::arg("progress") = py::none())
      .def_property_readonly("device", &Job::device);
}

}  // namespace creg::python
