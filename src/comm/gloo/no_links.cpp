// In the place of gloo_links.cpp where libtorch has no Gloo, or its headers are missing.
#include "comm/communicator.h"
#include "comm/peer_links.h"
#include "creg/core/error.h"

namespace creg {

std::unique_ptr<PeerLinks> connect_peers(const RankLaunch& /*launch*/,
                                         const CommunicatorOptions& /*options*/) {
  fail_input({.what = "this build connects no ranks: its libtorch has no Gloo, or Gloo's headers "
                      "were missing when it was built",
              .file = "--distributed",
              .hint = "install libgloo-dev and build again; `creg info` says what this build has"});
}

bool has_communication() {
  return false;
}

}  // namespace creg
