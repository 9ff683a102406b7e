// Faults on purpose: see fault_library.cpp.
#pragma once

/// Reads the environment and begins to count. Done on loading too; a process that is a copy of
/// another, and has loaded it long ago, calls this.
extern "C" void creg_faults_arm();
