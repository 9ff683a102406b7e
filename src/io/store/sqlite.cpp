#include "io/store/sqlite.h"

#include <chrono>
#include <thread>
#include <utility>

#include "creg/core/error.h"

#ifdef CREG_HAS_SQLITE
#include <sqlite3.h>
#endif

namespace creg {

#ifdef CREG_HAS_SQLITE

namespace {

constexpr std::chrono::milliseconds wait_step{20};
/// Of a text or a row: nothing of ours comes near it.
constexpr int longest_value = 16 << 20;

}  // namespace

struct Sqlite::Handle {
  Handle() = default;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { sqlite3_close_v2(database); }

  sqlite3* database = nullptr;
  const Options* options = nullptr;
  std::chrono::steady_clock::time_point waiting_since;

  /// Called while another process holds the file; 0 gives up.
  static int wait(void* self, int tries) {
    auto& handle = *static_cast<Handle*>(self);
    const auto now = std::chrono::steady_clock::now();
    if (tries == 0) handle.waiting_since = now;
    const std::chrono::duration<double> waited = now - handle.waiting_since;
    if (waited.count() >= handle.options->patience) return 0;
    // After Ctrl-C what is under way is still told, if that takes no longer than this.
    constexpr double last_words = 1;
    if (waited.count() >= last_words && handle.options->stopped && handle.options->stopped())
      return 0;
    std::this_thread::sleep_for(wait_step);
    return 1;
  }
};

namespace {

/// Finalised when it goes.
class Statement {
 public:
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(statement_); }
  sqlite3_stmt* get() const { return statement_; }

 private:
  sqlite3_stmt* statement_;
};

int bind(sqlite3_stmt* statement, int place, const SqlValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    return sqlite3_bind_int64(statement, place, *whole);
  }
  if (const auto* real = std::get_if<double>(&value)) {
    return sqlite3_bind_double(statement, place, *real);
  }
  if (const auto* text = std::get_if<std::string>(&value)) {
    return sqlite3_bind_text64(statement, place, text->data(), text->size(), SQLITE_TRANSIENT,
                               SQLITE_UTF8);
  }
  return sqlite3_bind_null(statement, place);
}

SqlValue column(sqlite3_stmt* statement, int place) {
  switch (sqlite3_column_type(statement, place)) {
    case SQLITE_INTEGER:
      return static_cast<std::int64_t>(sqlite3_column_int64(statement, place));
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, place);
    case SQLITE_NULL:
      return nullptr;
    default: {
      const unsigned char* const text = sqlite3_column_text(statement, place);
      const int size = sqlite3_column_bytes(statement, place);
      if (text == nullptr) return std::string();
      return std::string(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size));
    }
  }
}

}  // namespace

Sqlite::Sqlite(std::filesystem::path path, Options options)
    : path_(std::move(path)), options_(std::move(options)), handle_(std::make_unique<Handle>()) {
  const int flags =
      options_.write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
  const int opened =
      sqlite3_open_v2(path_.c_str(), &handle_->database, flags | SQLITE_OPEN_FULLMUTEX, nullptr);
  if (opened != SQLITE_OK) fail(opened, true);
  sqlite3* const database = handle_->database;
  handle_->options = &options_;
  sqlite3_extended_result_codes(database, 1);
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, longest_value);
  // What others wrote into the file is data, never something to be carried out.
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_busy_handler(database, &Handle::wait, handle_.get());
  run("PRAGMA cell_size_check = ON");
  run("PRAGMA mmap_size = 0");
}

Sqlite::~Sqlite() = default;

std::vector<SqlRow> Sqlite::run(std::string_view statement, const SqlRow& values) {
  const std::lock_guard lock(mutex_);
  sqlite3_stmt* prepared = nullptr;
  const int state = sqlite3_prepare_v2(handle_->database, statement.data(),
                                       static_cast<int>(statement.size()), &prepared, nullptr);
  const Statement owned(prepared);
  if (state != SQLITE_OK) fail(state);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int bound = bind(prepared, static_cast<int>(i) + 1, values[i]);
    if (bound != SQLITE_OK) fail(bound);
  }
  std::vector<SqlRow> rows;
  while (true) {
    const int step = sqlite3_step(prepared);
    if (step == SQLITE_DONE) return rows;
    if (step != SQLITE_ROW) fail(step);
    SqlRow& row = rows.emplace_back();
    for (int i = 0; i < sqlite3_column_count(prepared); ++i) row.push_back(column(prepared, i));
  }
}

void Sqlite::in_transaction(const std::function<void()>& work) {
  const std::lock_guard lock(mutex_);
  run("BEGIN IMMEDIATE");
  try {
    work();
    run("COMMIT");
  } catch (...) {
    // A full disk has rolled it back already.
    if (sqlite3_get_autocommit(handle_->database) == 0) {
      sqlite3_exec(handle_->database, "ROLLBACK", nullptr, nullptr, nullptr);
    }
    throw;
  }
}

std::int64_t Sqlite::last_id() {
  const std::lock_guard lock(mutex_);
  return sqlite3_last_insert_rowid(handle_->database);
}

void Sqlite::fail(int code, bool opening) const {
  constexpr int first_byte = 0xff;
  const int kind = code & first_byte;
  if (kind == SQLITE_BUSY && options_.stopped && options_.stopped()) throw Interrupted();
  const std::string file = path_.string();
  switch (kind) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
    case SQLITE_TOOBIG:
      fail_input({.what = "not a run store, or a damaged one",
                  .file = file,
                  .found = sqlite3_errstr(code),
                  .expected = "a file that creg reproduce or creg sweep --store wrote",
                  .hint = "choose another file with --store"});
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      fail_environment({.what = "another process holds the run store",
                        .file = file,
                        .hint = "wait until it is done; the same command then goes on"});
    case SQLITE_READONLY:
    case SQLITE_PERM:
      fail_environment({.what = "the run store cannot be written",
                        .file = file,
                        .found = sqlite3_errstr(code),
                        .hint = "its file and its folder must be writable; --dry-run only reads"});
    case SQLITE_FULL:
      fail_environment(
          {.what = "no space left for the run store",
           .file = file,
           .hint = "make room; what was stored is kept, and the same command goes on"});
    default:
      fail_environment({.what = opening ? "the run store cannot be opened"
                                        : "the run store cannot be read or written",
                        .file = file,
                        .found = handle_->database != nullptr ? sqlite3_errmsg(handle_->database)
                                                              : sqlite3_errstr(code)});
  }
}

#else

struct Sqlite::Handle {};

namespace {

[[noreturn]] void fail_without_sqlite(const std::string& file) {
  fail_environment({.what = "this build has no SQLite, which keeps the run store",
                    .file = file,
                    .hint = "install libsqlite3-dev and build again; creg info says what is in"});
}

}  // namespace

Sqlite::Sqlite(std::filesystem::path path, Options options)
    : path_(std::move(path)), options_(std::move(options)) {
  fail_without_sqlite(path_.string());
}
Sqlite::~Sqlite() = default;
std::vector<SqlRow> Sqlite::run(std::string_view /*statement*/, const SqlRow& /*values*/) {
  fail_without_sqlite(path_.string());
}
void Sqlite::in_transaction(const std::function<void()>& /*work*/) {
  fail_without_sqlite(path_.string());
}
std::int64_t Sqlite::last_id() {
  fail_without_sqlite(path_.string());
}
void Sqlite::fail(int /*code*/, bool /*opening*/) const {
  fail_without_sqlite(path_.string());
}

#endif

}  // namespace creg
