# c10d's Gloo, found or left out: libtorch must be built with it, and its header needs Gloo's own,
# which Debian ships apart (libgloo-dev). -DCMAKE_DISABLE_FIND_PACKAGE_Gloo=ON leaves it out.
include(CheckCXXSourceCompiles)

set(CREG_GLOO OFF)
if(CREG_TORCH AND NOT CMAKE_DISABLE_FIND_PACKAGE_Gloo)
  set(CMAKE_REQUIRED_LIBRARIES ${TORCH_LIBRARIES})
  set(CMAKE_REQUIRED_DEFINITIONS -DUSE_C10D_GLOO)
  check_cxx_source_compiles(
    "#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
     #include <torch/csrc/distributed/c10d/TCPStore.hpp>
     int main() {
       auto options = c10d::ProcessGroupGloo::Options::create();
       options->devices.push_back(c10d::ProcessGroupGloo::createDeviceForHostname(\"127.0.0.1\"));
       c10d::ProcessGroupGloo group(c10::make_intrusive<c10d::TCPStore>(\"127.0.0.1\"), 0, 1, options);
     }"
    CREG_LIBTORCH_HAS_GLOO)
  unset(CMAKE_REQUIRED_LIBRARIES)
  unset(CMAKE_REQUIRED_DEFINITIONS)
  if(CREG_LIBTORCH_HAS_GLOO)
    set(CREG_GLOO ON)
  endif()
endif()
