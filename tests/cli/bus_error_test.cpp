#include "cli/bus_error.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>

#include "io/file.h"
#include "support/temp_dir.h"

namespace creg::bus_error_test {
namespace {

using cli::explain_bus_errors;

constexpr std::size_t file_bytes = 1 << 16;

int last_of(const std::byte* bytes) {
  return std::to_integer<int>(*const_cast<const volatile std::byte*>(bytes + file_bytes - 1));
}

TEST(BusErrorDeathTest, InAMappedFileIsAMessage) {
  const test::TempDir dir;
  const auto path = dir.write("strange\"\n name", std::string(file_bytes, 'x'));
  EXPECT_EXIT(
      {
        explain_bus_errors(false);
        const Bytes bytes = map_file(path);
        (void)!::truncate(path.c_str(), 0);
        ::_exit(last_of(bytes.data.data()));
      },
      ::testing::ExitedWithCode(1), "creg: .*strange\"\\? name: the file became shorter");
}

TEST(BusErrorDeathTest, ElsewhereIsLeftToTheSystem) {
  const test::TempDir dir;
  const Bytes other = map_file(dir.write("other", "x"));
  AtomicFile file(dir / "own");
  file.write(std::string(file_bytes, 'x'));
  file.commit();
  const int fd = ::open((dir / "own").c_str(), O_RDWR);
  const void* const own = ::mmap(nullptr, file_bytes, PROT_READ, MAP_SHARED, fd, 0);
  ASSERT_NE(own, MAP_FAILED);
  ASSERT_EQ(::ftruncate(fd, 0), 0);
  EXPECT_EXIT(
      {
        explain_bus_errors(false);
        ::_exit(last_of(static_cast<const std::byte*>(own)));
      },
      ::testing::KilledBySignal(SIGBUS), "^$");
  ::munmap(const_cast<void*>(own), file_bytes);
  ::close(fd);
}

}  // namespace
}  // namespace creg::bus_error_test
