// CRC-32C. Bit 31 of a remainder is the coefficient of x^0, as the reflected algorithm has it.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "io/checksum.h"

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace creg {
namespace {

constexpr std::uint32_t polynomial = 0x82f63b78;
constexpr std::uint32_t one = 0x80000000;  // x^0
constexpr std::size_t parallel_piece = std::size_t{1} << 20;

constexpr std::uint32_t times_x(std::uint32_t a) {
  return (a >> 1) ^ ((a & 1) != 0 ? polynomial : 0);
}

// a * b modulo the polynomial.
constexpr std::uint32_t multiply(std::uint32_t a, std::uint32_t b) {
  std::uint32_t product = 0;
  for (std::uint32_t bit = one; bit != 0; bit >>= 1) {
    if ((a & bit) != 0) product ^= b;
    b = times_x(b);
  }
  return product;
}

// x^(8 bytes): what that many zero bytes multiply a remainder by.
constexpr std::uint32_t shift_of(std::uint64_t bytes) {
  std::uint32_t power = one >> 8;  // x^8
  std::uint32_t result = one;
  for (; bytes != 0; bytes >>= 1) {
    if ((bytes & 1) != 0) result = multiply(result, power);
    power = multiply(power, power);
  }
  return result;
}

using Table = std::array<std::uint32_t, 256>;

// Multiplication by `factor`, byte by byte: the product is the sum of one entry per byte.
constexpr std::array<Table, 4> product_tables(std::uint32_t factor) {
  std::array<Table, 4> tables{};
  for (std::size_t byte = 0; byte < tables.size(); ++byte) {
    for (std::size_t i = 1; i < tables[byte].size(); ++i) {
      const std::size_t rest = i & (i - 1);
      const auto low = static_cast<std::uint32_t>(i ^ rest);
      tables[byte][i] =
          rest != 0 ? tables[byte][rest] ^ tables[byte][low] : multiply(low << (8 * byte), factor);
    }
  }
  return tables;
}

std::uint32_t apply(const std::array<Table, 4>& tables, std::uint32_t a) {
  return tables[0][a & 0xff] ^ tables[1][(a >> 8) & 0xff] ^ tables[2][(a >> 16) & 0xff] ^
         tables[3][a >> 24];
}

// slices[k][b]: the remainder of byte b followed by k zero bytes.
constexpr std::array<Table, 8> make_slices() {
  std::array<Table, 8> slices{};
  for (std::size_t b = 0; b < 256; ++b) {
    auto remainder = static_cast<std::uint32_t>(b);
    for (int bit = 0; bit < 8; ++bit) remainder = times_x(remainder);
    slices[0][b] = remainder;
  }
  for (std::size_t k = 1; k < slices.size(); ++k) {
    for (std::size_t b = 0; b < 256; ++b) {
      const std::uint32_t before = slices[k - 1][b];
      slices[k][b] = (before >> 8) ^ slices[0][before & 0xff];
    }
  }
  return slices;
}

constexpr std::array<Table, 8> slices = make_slices();

std::uint64_t load64(const std::byte* from) {
  static_assert(std::endian::native == std::endian::little, "words are little-endian");
  std::uint64_t word = 0;
  std::memcpy(&word, from, sizeof(word));
  return word;
}

std::uint32_t run_tables(std::uint32_t state, std::span<const std::byte> bytes) {
  const std::byte* at = bytes.data();
  const std::byte* const end = at + bytes.size();
  for (; end - at >= 8; at += 8) {
    const std::uint64_t word = load64(at) ^ state;
    state = 0;
    for (std::size_t k = 0; k < 8; ++k) state ^= slices[7 - k][(word >> (8 * k)) & 0xff];
  }
  for (; at != end; ++at) {
    state = (state >> 8) ^ slices[0][(state ^ std::to_integer<std::uint32_t>(*at)) & 0xff];
  }
  return state;
}

#if defined(__x86_64__)

// The instruction takes three cycles but starts every cycle: three lanes keep it busy. A lane's
// remainder is moved past the lanes after it by a table.
constexpr std::size_t lane = 2048;
constexpr std::array<Table, 4> past_one_lane = product_tables(shift_of(lane));
constexpr std::array<Table, 4> past_two_lanes = product_tables(shift_of(2 * lane));

__attribute__((target("sse4.2"))) std::uint32_t run_instruction(std::uint32_t state,
                                                                std::span<const std::byte> bytes) {
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  while (left >= 3 * lane) {
    std::uint64_t a = state;
    std::uint64_t b = 0;
    std::uint64_t c = 0;
    for (std::size_t i = 0; i < lane; i += 8) {
      a = _mm_crc32_u64(a, load64(at + i));
      b = _mm_crc32_u64(b, load64(at + lane + i));
      c = _mm_crc32_u64(c, load64(at + 2 * lane + i));
    }
    state = apply(past_two_lanes, static_cast<std::uint32_t>(a)) ^
            apply(past_one_lane, static_cast<std::uint32_t>(b)) ^ static_cast<std::uint32_t>(c);
    at += 3 * lane;
    left -= 3 * lane;
  }
  std::uint64_t wide = state;
  for (; left >= 8; left -= 8, at += 8) wide = _mm_crc32_u64(wide, load64(at));
  state = static_cast<std::uint32_t>(wide);
  for (; left > 0; --left, ++at) {
    state = _mm_crc32_u8(state, std::to_integer<std::uint8_t>(*at));
  }
  return state;
}

bool has_instruction() {
  return __builtin_cpu_supports("sse4.2") != 0;
}

#else

std::uint32_t run_instruction(std::uint32_t state, std::span<const std::byte> bytes) {
  return run_tables(state, bytes);
}

bool has_instruction() {
  return false;
}

#endif

}  // namespace

std::uint32_t crc32c_portable(std::span<const std::byte> bytes, std::uint32_t previous) {
  return ~run_tables(~previous, bytes);
}

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t previous) {
  return has_instruction() ? ~run_instruction(~previous, bytes) : crc32c_portable(bytes, previous);
}

std::uint32_t crc32c_join(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes) {
  return multiply(shift_of(second_bytes), first) ^ second;
}

std::uint32_t crc32c_parallel(const Context& context, std::span<const std::byte> bytes) {
  const std::size_t pieces = (bytes.size() + parallel_piece - 1) / parallel_piece;
  std::vector<std::uint32_t> partial(pieces);
  const auto piece = [&](std::size_t i) {
    const std::span<const std::byte> rest = bytes.subspan(i * parallel_piece);
    return rest.first(std::min(rest.size(), parallel_piece));
  };
  parallel_tasks(context, static_cast<std::int64_t>(pieces), [&](std::int64_t i) {
    partial[static_cast<std::size_t>(i)] = crc32c(piece(static_cast<std::size_t>(i)));
  });
  std::uint32_t crc = 0;
  for (std::size_t i = 0; i < pieces; ++i) crc = crc32c_join(crc, partial[i], piece(i).size());
  return crc;
}

}  // namespace creg
