// A base for readers of JSON that is too large to hold as a tree of values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "core/text.h"
#include "creg/core/error.h"
#include "io/file.h"

namespace creg {

/// Derived readers override what their form allows; everything else is refused by `unexpected`.
class JsonReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit JsonReader(const Bytes& bytes) : bytes_(bytes) {}

  void run() {
    const std::string_view text = bytes_.text();
    nlohmann::json::sax_parse(text.data(), text.data() + text.size(), this);
  }

  bool null() override { unexpected("null"); }
  bool boolean(bool value) override { unexpected(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { unexpected(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { unexpected(std::to_string(value)); }
  bool number_float(number_float_t /*value*/, const string_t& text) override {
    unexpected(in_quotes(text));
  }
  bool string(string_t& value) override { unexpected("the string " + in_quotes(value)); }
  bool binary(binary_t& /*value*/) override { unexpected("binary data"); }
  bool start_object(std::size_t /*size*/) override { unexpected("an object"); }
  bool start_array(std::size_t /*size*/) override { unexpected("a list"); }
  bool key(string_t& value) override { unexpected("the key " + in_quotes(value)); }
  bool end_object() override { return true; }
  bool end_array() override { return true; }

  bool parse_error(std::size_t position, const std::string& last_token,
                   const nlohmann::detail::exception& /*problem*/) override {
    fail_input({.what = "not valid JSON",
                .file = bytes_.name,
                .place = "byte " + std::to_string(position),
                .found = last_token.empty() ? "the end" : in_quotes(last_token),
                .hint = "the file is damaged, cut off or not JSON"});
  }

 protected:
  /// Where in the document we are, for messages.
  virtual std::string place() const = 0;
  virtual std::string expected() const = 0;

  [[noreturn]] void fail(std::string what, std::string found, std::string wanted,
                         std::string hint = {}) const {
    fail_input({.what = std::move(what),
                .file = bytes_.name,
                .place = place(),
                .found = std::move(found),
                .expected = std::move(wanted),
                .hint = std::move(hint)});
  }
  [[noreturn]] void unexpected(std::string found) const {
    fail("unexpected value", std::move(found), expected());
  }

  const Bytes& bytes_;
};

}  // namespace creg
