#include "cli/bus_error.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <string_view>

#include "cli/command_line.h"
#include "io/mapped_files.h"
#include "io/unfinished_files.h"

// What the handler calls may be called in a handler: no memory is taken, no lock, no stream.
namespace creg::cli {
namespace {

constexpr std::string_view what = "the file became shorter while it was in use, or its disk failed";
constexpr std::string_view hint =
    "run the same again with the whole file; one that others read is replaced by renaming another "
    "to its name, never written over";

// A signal handler can reach nothing but globals.
std::atomic<bool> json_wanted{false};  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
std::atomic<bool> being_explained{
    false};  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

/// One line of bounded length, for one write.
class Line {
 public:
  void add(std::string_view text) {
    for (const char c : text) add(c);
  }
  /// A name may hold anything; what could harm a terminal or break JSON is shown as '?'.
  void add_name(std::string_view name, bool json) {
    for (const char c : name) {
      const auto byte = static_cast<unsigned char>(c);
      const bool plain = byte >= 0x20 && byte != 0x7f;
      const bool quoted = json && (c == '"' || c == '\\' || byte >= 0x80);
      add(plain && !quoted ? c : '?');
    }
  }
  void write_to(int fd) const {
    // Nothing better can be done when the output itself fails.
    (void)!::write(fd, text_.data(), size_);
  }

 private:
  void add(char c) {
    if (size_ < text_.size()) text_[size_++] = c;
  }

  std::array<char, 8192> text_{};
  std::size_t size_ = 0;
};

void explain(std::string_view name) {
  Line text;
  text.add("creg: ");
  text.add_name(name, false);
  text.add(": ");
  text.add(what);
  text.add("\n  ");
  text.add(hint);
  text.add("\n");
  text.write_to(STDERR_FILENO);
  if (!json_wanted) return;
  Line object;
  object.add(R"({"error":{"what":")");
  object.add(what);
  object.add(R"(","file":")");
  object.add_name(name, true);
  object.add(R"(","place":null,"found":null,"expected":null,"hint":")");
  object.add(hint);
  object.add("\"}}\n");
  object.write_to(STDOUT_FILENO);
}

extern "C" void on_bus_error(int signal, siginfo_t* info, void* /*context*/) {
  // One that another process sent has no address.
  const char* const name = info->si_code > 0 ? mapped_file_at(info->si_addr) : nullptr;
  if (name == nullptr) {
    // Comes again when the handler returns, and then does what it does by default.
    (void)std::signal(signal, SIG_DFL);
    if (info->si_code <= 0) (void)std::raise(signal);
    return;
  }
  if (being_explained.exchange(true)) {
    // Another thread met it too, and is about to end the process.
    while (true) ::pause();
  }
  explain(name);
  remove_unfinished_files();
  ::_exit(exit_failed);
}

}  // namespace

void explain_bus_errors(bool json) {
  json_wanted = json;
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace creg::cli
