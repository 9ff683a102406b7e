#include "io/settings_file.h"

#include "fuzz_support.h"

/// Settings that were read must come back from the file that is written of them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace creg;
  return fuzz::try_read(data, size, [](const Bytes& bytes) {
    const std::vector<Setting> settings = read_settings(bytes);
    std::string written;
    for (const Setting& setting : settings) {
      written += toml_string(setting.key) + " = " + toml_value(setting.value) + "\n";
    }
    std::vector<Setting> again;
    try {
      again = read_settings(Bytes::from_string(written, "written"));
    } catch (const Error&) {
      __builtin_trap();
    }
    if (again.size() != settings.size()) __builtin_trap();
    for (std::size_t i = 0; i < settings.size(); ++i) {
      if (again[i].key != settings[i].key || again[i].value != settings[i].value) __builtin_trap();
    }
  });
}
