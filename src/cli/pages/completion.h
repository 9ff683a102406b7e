// Scripts by which a shell completes the words of a command line. They hold all that is known by
// name, so completing starts no program.
#pragma once

#include <string>

#include "cli/pages/command_page.h"

namespace creg::cli {

/// For share/bash-completion/completions/creg, or to be sourced.
std::string bash_completion(const CommandPage& creg);

/// For a folder of $fpath, as _creg.
std::string zsh_completion(const CommandPage& creg);

/// For share/fish/vendor_completions.d/creg.fish.
std::string fish_completion(const CommandPage& creg);

}  // namespace creg::cli
