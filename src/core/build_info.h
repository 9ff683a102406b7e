// What this build is and what it has.
#pragma once

#include <string>

namespace creg {

struct BuildInfo {
  std::string version;
  std::string sources;  ///< a checksum of those that results depend on
  std::string compiler;
  std::string build_type;
  std::string sanitizers;       ///< empty: none
  bool openssl = false;         ///< checksums of downloads and of known files
  bool curl = false;            ///< `creg data get` over the network
  bool sqlite = false;          ///< run stores: `creg reproduce`, `creg sweep --store`
  bool metis = false;           ///< `creg data partition --method metis`
  bool scotch = false;          ///< the same by scotch, its 64-bit variant
  bool faiss = false;           ///< `creg neighbors --approximate`
  std::string instruction_set;  ///< the one our kernels use on this machine
};

BuildInfo build_info();

}  // namespace creg
