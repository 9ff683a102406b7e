// A database of SQLite as values and RAII: its failures are our errors, and a database that
// somebody else made is not trusted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace creg {

/// NULL, a whole number, a real one, a text.
using SqlValue = std::variant<std::nullptr_t, std::int64_t, double, std::string>;
using SqlRow = std::vector<SqlValue>;

/// May be used by several threads: calls wait for each other.
class Sqlite {
 public:
  struct Options {
    bool write = true;     ///< else it is only read, and must be there
    double patience = 30;  ///< seconds to wait for another process that writes
    /// Asked while waiting: true gives up, as after Ctrl-C.
    std::function<bool()> stopped;
  };

  /// A file that is no database, or cannot be opened, is an error that names it. Without SQLite in
  /// this build every call is an environment error.
  Sqlite(std::filesystem::path path, Options options);
  Sqlite(const Sqlite&) = delete;
  Sqlite& operator=(const Sqlite&) = delete;
  ~Sqlite();

  /// All rows of one statement; `?` stand for the values in turn.
  std::vector<SqlRow> run(std::string_view statement, const SqlRow& values = {});

  /// `work` between BEGIN IMMEDIATE and COMMIT: nobody else writes meanwhile, and after an
  /// exception nothing has happened.
  void in_transaction(const std::function<void()>& work);

  /// The id that the last INSERT gave.
  std::int64_t last_id();

 private:
  struct Handle;

  [[noreturn]] void fail(int code, bool opening = false) const;

  std::filesystem::path path_;
  Options options_;
  std::unique_ptr<Handle> handle_;
  std::recursive_mutex mutex_;
};

}  // namespace creg
