// What this build is and what it has.
#pragma once

#include <string>

namespace creg {

struct BuildInfo {
  std::string version;
  std::string compiler;
  std::string build_type;
  std::string sanitizers;       ///< empty: none
  bool openssl = false;         ///< checksums of downloads and of known files
  bool curl = false;            ///< `creg data get` over the network
  std::string instruction_set;  ///< the one our kernels use on this machine
};

BuildInfo build_info();

}  // namespace creg
