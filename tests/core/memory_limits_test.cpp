#include "core/memory_limits.h"

#include <gtest/gtest.h>

#include <string>

#include "creg/core/context.h"
#include "support/temp_dir.h"

namespace creg::memory_limits_test {
namespace {

constexpr std::int64_t mib = std::int64_t{1} << 20;

std::string bytes(std::int64_t mebibytes) {
  return std::to_string(mebibytes * mib) + "\n";
}

/// A made-up machine with 8 GiB, 6 of them free, and no limit.
class Machine {
 public:
  Machine() {
    write("proc/meminfo",
          "MemTotal:        8388608 kB\nMemFree:         1000 kB\nMemAvailable:    6291456 kB\n");
    limits("unlimited", "unlimited");
    write("proc/self/status",
          "Name:\tcreg\nVmPeak:\t  400000 kB\nVmSize:\t  204800 kB\nVmData:\t   102400 kB\n"
          "Threads:\t3\n");
  }
  void write(const std::string& path, const std::string& text) const { dir_.write(path, text); }
  void limits(const std::string& address_space, const std::string& data) const {
    write("proc/self/limits",
          "Limit                     Soft Limit           Hard Limit           Units     \n"
          "Max cpu time              unlimited            unlimited            seconds   \n"
          "Max data size             " +
              data +
              "           unlimited            bytes     \n"
              "Max address space         " +
              address_space + "  unlimited            bytes     \n");
  }
  void groups(const std::string& own, const std::string& mounts) const {
    write("proc/self/cgroup", own);
    write("proc/self/mountinfo", "22 1 0:20 / /proc rw - proc proc rw\nbroken line\n" + mounts);
  }
  MemoryLimit left() const { return memory_left({}, dir_.path()); }
  MemoryLimit left_after(const MappingBytes& set_aside) const {
    return memory_left(set_aside, dir_.path());
  }
  MappingRoom room() const { return mapping_room(dir_.path()); }

 private:
  test::TempDir dir_;
};

constexpr const char* v2_mount =
    "31 23 0:28 / /sys/fs/cgroup rw,relatime shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr const char* v1_mount =
    "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
    "36 31 0:33 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu,cpuacct\n";

TEST(MemoryLimits, WithoutALimitWhatIsFreeCounts) {
  const Machine machine;
  EXPECT_EQ(machine.left().bytes, 6144 * mib);
  EXPECT_EQ(machine.left().name, "what is free on this machine");
  EXPECT_FALSE(machine.room().address_space);
  EXPECT_EQ(machine.room().threads, 3);
}

TEST(MemoryLimits, OfThisMachineAreThere) {
  EXPECT_GT(memory_left().bytes, 0);
  EXPECT_LE(memory_left().bytes, physical_memory());
  EXPECT_FALSE(memory_left().name.empty());
  EXPECT_GE(mapping_room().threads, 1);
}

TEST(MemoryLimits, AMachineThatTellsNothingHasItsMemory) {
  const test::TempDir empty;
  EXPECT_EQ(memory_left({}, empty.path()).bytes, physical_memory());
}

TEST(MemoryLimits, TheGroupOfVersion2CountsLessWhatItsCacheGivesBack) {
  const Machine machine;
  machine.groups("0::/user.slice/run\n", v2_mount);
  machine.write("sys/fs/cgroup/user.slice/run/memory.max", bytes(1000));
  machine.write("sys/fs/cgroup/user.slice/run/memory.high", "max\n");
  machine.write("sys/fs/cgroup/user.slice/run/memory.current", bytes(400));
  machine.write(
      "sys/fs/cgroup/user.slice/run/memory.stat",
      "anon 5\nactive_file_x 7\nactive_file " + bytes(100) + "inactive_file " + bytes(50));
  EXPECT_EQ(machine.left().bytes, 750 * mib);
  EXPECT_EQ(machine.left().name, "the limit in /sys/fs/cgroup/user.slice/run/memory.max");
}

TEST(MemoryLimits, AllGroupsAboveCountAndSoDoesHigh) {
  const Machine machine;
  machine.groups("0::/a/b/c\n", v2_mount);
  machine.write("sys/fs/cgroup/a/b/c/memory.max", "max\n");
  machine.write("sys/fs/cgroup/a/b/memory.max", bytes(900));
  machine.write("sys/fs/cgroup/a/memory.high", bytes(300));
  machine.write("sys/fs/cgroup/a/memory.current", bytes(80));
  EXPECT_EQ(machine.left().bytes, 220 * mib);
  EXPECT_EQ(machine.left().name, "the limit in /sys/fs/cgroup/a/memory.high");
  // Another group's is nobody's business.
  machine.write("sys/fs/cgroup/a/x/memory.max", bytes(1));
  EXPECT_EQ(machine.left().bytes, 220 * mib);
}

TEST(MemoryLimits, VersionOneCountsToo) {
  const Machine machine;
  machine.groups("5:cpu,cpuacct:/elsewhere\n4:memory:/jobs/7\n", v1_mount);
  machine.write("sys/fs/cgroup/memory/jobs/7/memory.limit_in_bytes", "9223372036854771712\n");
  machine.write("sys/fs/cgroup/memory/jobs/memory.limit_in_bytes", bytes(300));
  machine.write("sys/fs/cgroup/memory/jobs/memory.usage_in_bytes", bytes(120));
  machine.write("sys/fs/cgroup/memory/jobs/memory.stat",
                "cache 1\ninactive_file 1\ntotal_inactive_file " + bytes(20));
  EXPECT_EQ(machine.left().bytes, 200 * mib);
  EXPECT_EQ(machine.left().name, "the limit in /sys/fs/cgroup/memory/jobs/memory.limit_in_bytes");
}

TEST(MemoryLimits, VersionOneTellsOfGroupsAboveWhatIsMounted) {
  const Machine machine;
  // As in a container: the group is mounted as the top.
  machine.groups("4:memory:/docker/4f\n",
                 "35 31 0:32 /docker/4f /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
  machine.write("sys/fs/cgroup/memory/memory.limit_in_bytes", bytes(900));
  machine.write("sys/fs/cgroup/memory/memory.usage_in_bytes", bytes(100));
  EXPECT_EQ(machine.left().bytes, 800 * mib);
  machine.write("sys/fs/cgroup/memory/memory.stat",
                "hierarchical_memory_limit " + bytes(500) + "hierarchical_memsw_limit 1\n");
  EXPECT_EQ(machine.left().bytes, 400 * mib);
  EXPECT_EQ(machine.left().name, "hierarchical_memory_limit in /sys/fs/cgroup/memory/memory.stat");
}

TEST(MemoryLimits, BothVersionsSideBySide) {
  const Machine machine;
  machine.groups(
      "4:memory:/m\n1:name=systemd:/\n0::/u\n",
      std::string(v1_mount) + "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  machine.write("sys/fs/cgroup/unified/u/memory.max", bytes(700));
  machine.write("sys/fs/cgroup/memory/m/memory.limit_in_bytes", bytes(600));
  EXPECT_EQ(machine.left().bytes, 600 * mib);
  machine.write("sys/fs/cgroup/unified/u/memory.max", bytes(500));
  EXPECT_EQ(machine.left().bytes, 500 * mib);
}

TEST(MemoryLimits, NamespacesShowTheGroupAtTheTop) {
  for (const char* own : {"0::/\n", "0::/..\n", "0::/../../other\n", "0::/hidden/from/here\n"}) {
    const Machine machine;
    machine.groups(own, v2_mount);
    machine.write("sys/fs/cgroup/memory.max", bytes(256));
    machine.write("sys/fs/cgroup/memory.current", bytes(56));
    EXPECT_EQ(machine.left().bytes, 200 * mib) << own;
  }
  // Mounted from outside of the namespace: the group is found below.
  const Machine machine;
  machine.groups("0::/../../x\n", "31 23 0:28 /../.. /cg\\040roup rw - cgroup2 cgroup2 rw\n");
  machine.write("cg roup/x/memory.max", bytes(64));
  EXPECT_EQ(machine.left().bytes, 64 * mib);
  EXPECT_EQ(machine.left().name, "the limit in /cg roup/x/memory.max");
}

TEST(MemoryLimits, AMountOfOtherGroupsIsPassedOver) {
  const Machine machine;
  machine.groups(
      "0::/mine\n",
      std::string("30 23 0:28 /others /mnt/others rw - cgroup2 cgroup2 rw\n") + v2_mount);
  machine.write("mnt/others/memory.max", bytes(1));
  machine.write("sys/fs/cgroup/mine/memory.max", bytes(512));
  EXPECT_EQ(machine.left().bytes, 512 * mib);
}

TEST(MemoryLimits, AbsurdValuesAreNoLimit) {
  for (const char* value : {"max\n", "", "\n", "-1\n", "18446744073709551615\n", "lots\n",
                            "99999999999999999999999999\n", "9223372036854775807\n"}) {
    const Machine machine;
    machine.groups("0::/a\n", v2_mount);
    machine.write("sys/fs/cgroup/a/memory.max", value);
    EXPECT_EQ(machine.left().bytes, 6144 * mib) << value;
  }
  // More in use than allowed leaves nothing; a cache larger than all that is in use gives that.
  const Machine machine;
  machine.groups("0::/a\n", v2_mount);
  machine.write("sys/fs/cgroup/a/memory.max", bytes(10));
  machine.write("sys/fs/cgroup/a/memory.current", bytes(11));
  EXPECT_EQ(machine.left().bytes, 0);
  machine.write("sys/fs/cgroup/a/memory.stat", "active_file " + bytes(5000));
  EXPECT_EQ(machine.left().bytes, 10 * mib);
}

TEST(MemoryLimits, TheProcessesOwnCountLessWhatItHas) {
  const Machine machine;
  machine.limits(std::to_string(500 * mib), "unlimited");
  EXPECT_EQ(machine.left().bytes, 300 * mib);
  EXPECT_EQ(machine.left().name, "the limit on address space (ulimit -v)");
  machine.limits(std::to_string(500 * mib), std::to_string(250 * mib));
  EXPECT_EQ(machine.left().bytes, 150 * mib);
  EXPECT_EQ(machine.left().name, "the limit on data (ulimit -d)");
  EXPECT_EQ(machine.room().address_space, 300 * mib);
  EXPECT_EQ(machine.room().data, 150 * mib);
  EXPECT_EQ(machine.left_after({.address_space = 10 * mib, .data = 20 * mib}).bytes, 130 * mib);
  EXPECT_EQ(machine.left_after({.address_space = 400 * mib}).bytes, 0);
}

TEST(MappingRoom, NamesTheLimitThatIsTooLow) {
  const Machine machine;
  EXPECT_FALSE(machine.room().short_of({1000000 * mib, 1000000 * mib}));
  machine.limits(std::to_string(500 * mib), std::to_string(250 * mib));
  EXPECT_FALSE(machine.room().short_of({300 * mib, 150 * mib}));
  EXPECT_EQ(machine.room().short_of({301 * mib, 150 * mib})->name,
            "the limit on address space (ulimit -v)");
  EXPECT_EQ(machine.room().short_of({300 * mib, 151 * mib})->bytes, 150 * mib);
}

}  // namespace
}  // namespace creg::memory_limits_test
