// All pairs on a GPU: checks every kernel against sums in double and times it, in all precisions.
//
//   nvcc -std=c++20 -O3 --expt-relaxed-constexpr -Isrc -Iinclude
//     -gencode arch=compute_90a,code=sm_90a bench/micro/cuda_pairs.cu
//     src/kernels/cuda/{pair_panels,info_nce,similarity,all_pairs}.cu -o cuda_pairs
//   ./cuda_pairs [largest number of nodes]
//
// Errors are over some rows of each size: of sums and gradients relative to the reference's
// largest value in the row, of similarities and entropies absolute. "wrong" counts rows whose list
// of most similar nodes differs from the reference by more than the precision explains.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "kernels/all_pairs.h"
#include "kernels/cuda/common.cuh"
#include "kernels/info_nce.h"
#include "kernels/similarity.h"

namespace creg {
namespace {

using cuda::check;

constexpr int checked_rows = 96;
constexpr int threads = 256;

template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::int64_t count) : count_(count) {
    check(cudaMalloc(&values_, static_cast<std::size_t>(count) * sizeof(T)), "memory");
    // What is not written must show.
    check(cudaMemset(values_, 0xff, static_cast<std::size_t>(count) * sizeof(T)), "memory");
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(values_); }
  T* get() const { return values_; }
  void clear() { check(cudaMemset(values_, 0, bytes()), "memory"); }
  void set(const std::vector<T>& from) {
    check(cudaMemcpy(values_, from.data(), bytes(), cudaMemcpyHostToDevice), "copy");
  }
  std::vector<T> host() const {
    std::vector<T> out(static_cast<std::size_t>(count_));
    check(cudaMemcpy(out.data(), values_, bytes(), cudaMemcpyDeviceToHost), "copy");
    return out;
  }

 private:
  std::size_t bytes() const { return static_cast<std::size_t>(count_) * sizeof(T); }
  T* values_ = nullptr;
  std::int64_t count_;
};

/// Memory that is kept from launch to launch.
class Arena final : public Scratch {
 public:
  ~Arena() override {
    for (const Piece& piece : pieces_) cudaFree(piece.memory);
  }
  void* take(std::size_t bytes) override {
    for (Piece& piece : pieces_) {
      if (!piece.taken && piece.bytes >= bytes && piece.bytes <= 2 * bytes + 4096) {
        piece.taken = true;
        return piece.memory;
      }
    }
    Piece piece{.bytes = bytes, .taken = true};
    check(cudaMalloc(&piece.memory, std::max<std::size_t>(bytes, 16)), "scratch");
    pieces_.push_back(piece);
    return piece.memory;
  }
  void free_all() {
    for (Piece& piece : pieces_) piece.taken = false;
  }
  double megabytes() const {
    double sum = 0;
    for (const Piece& piece : pieces_) sum += static_cast<double>(piece.bytes);
    return sum / (1 << 20);
  }

 private:
  struct Piece {
    void* memory = nullptr;
    std::size_t bytes = 0;
    bool taken = false;
  };
  std::vector<Piece> pieces_;
};

__device__ double product(const float* a, const float* b, std::int64_t width) {
  double sum = 0;
  for (std::int64_t j = 0; j < width; ++j) sum += static_cast<double>(a[j]) * b[j];
  return sum;
}

/// products[c][j] of the chosen rows c with all rows.
__global__ void all_products(const float* rows, std::int64_t count, std::int64_t width,
                             const int* chosen, int chosen_count, double* products) {
  for (std::int64_t i = cuda::first_item(); i < count * chosen_count; i += cuda::item_step()) {
    products[i] = product(rows + chosen[i / count] * width, rows + i % count * width, width);
  }
}

/// A thread per feature of a chosen row.
__global__ void naive_pulls(const float* rows, std::int64_t count, std::int64_t width,
                            const int* chosen, int chosen_count, const double* products,
                            double inverse, const float* weights, double* out) {
  for (std::int64_t i = cuda::first_item(); i < width * chosen_count; i += cuda::item_step()) {
    const std::int64_t c = i / width;
    const std::int64_t row = chosen[c];
    double sum = 0;
    for (std::int64_t j = 0; j < count; ++j) {
      if (j == row) continue;
      sum += exp((products[c * count + j] - 1) * inverse) *
             (static_cast<double>(weights[row]) + weights[j]) * rows[j * width + i % width];
    }
    out[i] = sum;
  }
}

/// The same for the loss over all pairs.
__global__ void naive_apart(const float* rows, std::int64_t count, std::int64_t width,
                            int chosen_count, const double* products, double* out) {
  for (std::int64_t i = cuda::first_item(); i < width * chosen_count; i += cuda::item_step()) {
    const double* const row = products + i / width * count;
    double sum = 0;
    for (std::int64_t j = 0; j < count; ++j) {
      sum += rows[j * width + i % width] / (1 + exp(-row[j]));
    }
    out[i] = 2 * sum / (static_cast<double>(count) * static_cast<double>(count));
  }
}

/// values[i] = the sum of the softplus of row i.
__global__ void naive_values(const float* rows, std::int64_t count, std::int64_t width,
                             double* values) {
  for (std::int64_t i = cuda::first_item() / cuda::warp_lanes; i < count;
       i += cuda::item_step() / cuda::warp_lanes) {
    double sum = 0;
    for (std::int64_t j = threadIdx.x % cuda::warp_lanes; j < count; j += cuda::warp_lanes) {
      sum += log1p(exp(product(rows + i * width, rows + j * width, width)));
    }
    sum = cuda::warp_sum(sum);
    if (threadIdx.x % cuda::warp_lanes == 0) values[i] = sum;
  }
}

double milliseconds(const std::function<void()>& work) {
  cudaEvent_t begin;
  cudaEvent_t end;
  check(cudaEventCreate(&begin), "event");
  check(cudaEventCreate(&end), "event");
  work();
  check(cudaDeviceSynchronize(), "run");
  std::vector<double> times;
  double all = 0;
  for (int i = 0; i < 20 && (i < 3 || all < 400); ++i) {
    check(cudaEventRecord(begin), "event");
    work();
    check(cudaEventRecord(end), "event");
    check(cudaEventSynchronize(end), "run");
    float time = 0;
    check(cudaEventElapsedTime(&time, begin, end), "event");
    times.push_back(time);
    all += time;
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

/// Unit rows in clumps, so that similarities spread.
std::vector<float> random_rows(std::int64_t count, std::int64_t width) {
  std::uint64_t state = 0x9e3779b97f4a7c15ULL;
  const auto next = [&] {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<double>(state >> 11) / 9007199254740992.0;
  };
  constexpr std::int64_t clumps = 41;
  std::vector<float> centres(static_cast<std::size_t>(clumps * width));
  for (float& value : centres) value = static_cast<float>(next() - 0.4);
  std::vector<float> rows(static_cast<std::size_t>(count * width));
  for (std::int64_t i = 0; i < count; ++i) {
    float* const row = rows.data() + i * width;
    const float* const centre = centres.data() + static_cast<std::int64_t>(next() * clumps) * width;
    double square = 0;
    for (std::int64_t j = 0; j < width; ++j) {
      row[j] = centre[j] + static_cast<float>(1.4 * (next() - 0.5));
      square += static_cast<double>(row[j]) * row[j];
    }
    const auto scale = static_cast<float>(1 / std::sqrt(square));
    for (std::int64_t j = 0; j < width; ++j) row[j] *= scale;
  }
  return rows;
}

bool failed = false;

void line(const char* what, std::int64_t count, std::int64_t width, Precision precision, double ms,
          double products, const std::string& error, bool good) {
  const double flops =
      2.0 * products * static_cast<double>(count) * static_cast<double>(count) * width;
  std::printf("%-18s %7lld %5lld %-5s %9.3f ms %7.1f TFLOP/s  %s%s\n", what,
              static_cast<long long>(count), static_cast<long long>(width),
              name_of(precision).c_str(), ms, flops / ms / 1e9, error.c_str(),
              good ? "" : "  WRONG");
  std::fflush(stdout);
  failed = failed || !good;
}

std::string number(const char* name, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), "%s %.1e  ", name, value);
  return text;
}

void run(std::int64_t count, std::int64_t width) {
  DeviceArray<float> rows(count * width);
  rows.set(random_rows(count, width));
  std::vector<int> chosen;
  for (int c = 0; c < checked_rows; ++c) {
    chosen.push_back(static_cast<int>(c * (count - 1) / (checked_rows - 1)));
  }
  DeviceArray<int> chosen_rows(checked_rows);
  chosen_rows.set(chosen);
  DeviceArray<double> products(count * checked_rows);
  all_products<<<2048, threads>>>(rows.get(), count, width, chosen_rows.get(), checked_rows,
                                  products.get());
  check(cudaGetLastError(), "reference");
  const std::vector<double> s = products.host();

  const double temperature = 0.4;
  std::vector<double> sums(checked_rows);
  for (int c = 0; c < checked_rows; ++c) {
    for (std::int64_t j = 0; j < count; ++j) {
      if (j != chosen[c]) sums[c] += std::exp((s[c * count + j] - 1) / temperature);
    }
  }
  std::vector<float> weight(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) weight[i] = 1.0F + static_cast<float>(i % 7) / 3;
  DeviceArray<float> weights(count);
  weights.set(weight);
  DeviceArray<double> reference(width * checked_rows);
  naive_pulls<<<2048, 64>>>(rows.get(), count, width, chosen_rows.get(), checked_rows,
                            products.get(), 1 / temperature, weights.get(), reference.get());
  check(cudaGetLastError(), "reference");
  const std::vector<double> pulls = reference.host();

  naive_apart<<<2048, 64>>>(rows.get(), count, width, checked_rows, products.get(),
                            reference.get());
  check(cudaGetLastError(), "reference");
  const std::vector<double> apart = reference.host();
  double want_value = 0;  // for small ones
  if (count < 3000) {
    DeviceArray<double> each(count);
    naive_values<<<2048, threads>>>(rows.get(), count, width, each.get());
    check(cudaGetLastError(), "reference");
    for (const double sum : each.host()) want_value += sum / static_cast<double>(count * count);
  }
  const auto worst_row = [&](const std::vector<float>& got, const std::vector<double>& want) {
    double worst = 0;
    for (int c = 0; c < checked_rows; ++c) {
      double largest = 0;
      double off = 0;
      for (std::int64_t j = 0; j < width; ++j) {
        largest = std::max(largest, std::abs(want[c * width + j]));
        const double rest = std::abs(got[chosen[c] * width + j] - want[c * width + j]);
        off = rest <= off ? off : rest;  // one that is not a number stays
      }
      const double share = off / largest;
      worst = share <= worst ? worst : share;
    }
    return worst;
  };

  for (const Precision precision : {Precision::fp32, Precision::tf32, Precision::bf16}) {
    const double unit = precision == Precision::fp32   ? 2e-6
                        : precision == Precision::tf32 ? 1e-3
                                                       : 8e-3;
    Arena arena;
    Launch launch;
    launch.scratch = &arena;
    const kernels::UnitRows unit_rows{.values = rows.get(),
                                      .count = count,
                                      .width = width,
                                      .inverse_temperature = static_cast<float>(1 / temperature),
                                      .precision = precision};
    {
      DeviceArray<double> out(count);
      const double ms = milliseconds([&] {
        arena.free_all();
        cuda::sum_exponentials(launch, unit_rows, out.get());
      });
      const std::vector<double> got = out.host();
      double worst = 0;
      for (int c = 0; c < checked_rows; ++c) {
        worst = std::max(worst, std::abs(got[chosen[c]] / sums[c] - 1));
      }
      for (const double value : got) {
        if (!(value > 0)) worst = INFINITY;
      }
      const std::string memory = number("scratch MiB", arena.megabytes());
      line("infonce forward", count, width, precision, ms, 1,
           number("relative error", worst) + memory, worst < unit);
    }
    {
      DeviceArray<float> out(count * width);
      out.clear();
      cuda::add_exponential_pulls(launch, unit_rows, weights.get(), out.get());
      check(cudaDeviceSynchronize(), "run");
      const std::vector<float> got = out.host();
      const double ms = milliseconds([&] {
        arena.free_all();
        cuda::add_exponential_pulls(launch, unit_rows, weights.get(), out.get());
      });
      out.clear();
      cuda::add_exponential_pulls(launch, unit_rows, weights.get(), out.get());
      const bool same = out.host() == got;
      const double worst = worst_row(got, pulls);
      const std::string memory = number("scratch MiB", arena.megabytes());
      line("infonce backward", count, width, precision, ms, 2,
           number("relative error", worst) + memory + (same ? "" : "not the same bytes twice"),
           worst < unit && same);
    }
    {
      DeviceArray<float> value(1);
      DeviceArray<float> only_value(1);
      DeviceArray<float> out(count * width);
      const kernels::AllPairs both{.rows = rows.get(),
                                   .count = count,
                                   .width = width,
                                   .precision = precision,
                                   .value = value.get(),
                                   .gradient = out.get()};
      const double ms = milliseconds([&] {
        arena.free_all();
        cuda::all_pairs_apart(launch, both);
      });
      const double worst = worst_row(out.host(), apart);
      kernels::AllPairs one = both;
      one.value = only_value.get();
      one.gradient = nullptr;
      arena.free_all();
      cuda::all_pairs_apart(launch, one);
      const double got = value.host()[0];
      const double off = want_value > 0 ? std::abs(got / want_value - 1) : 0;
      const double between = std::abs(only_value.host()[0] / got - 1);
      line("all pairs apart", count, width, precision, ms, 2,
           number("relative error", worst) + number("value", off) + number("alone", between),
           worst < unit && off < unit && between < 1e-6);
    }
    // Without lists: what chooses seeds.
    for (const std::int64_t k : {0, 5, 20, 64}) {
      DeviceArray<float> values(std::max<std::int64_t>(1, count * k));
      DeviceArray<std::int32_t> indices(std::max<std::int64_t>(1, count * k));
      DeviceArray<float> entropies(count);
      const double ms = milliseconds([&] {
        arena.free_all();
        cuda::similarity_pass(launch, {.rows = rows.get(),
                                       .count = count,
                                       .width = width,
                                       .k = k,
                                       .with_self = false,
                                       .precision = precision,
                                       .values = values.get(),
                                       .indices = indices.get(),
                                       .entropies = entropies.get()});
      });
      const std::vector<float> got = values.host();
      const std::vector<std::int32_t> found = indices.host();
      const std::vector<float> entropy = entropies.host();
      double worst = 0;
      double worst_entropy = 0;
      int wrong = 0;
      for (int c = 0; c < checked_rows; ++c) {
        const double* const row = s.data() + c * count;
        std::vector<std::int32_t> order;
        double sum = 0;
        double sum_ln = 0;
        for (std::int64_t j = 0; j < count; ++j) {
          const double clamped = std::max(row[j], 0.0);
          sum += clamped;
          if (clamped > 0) sum_ln += clamped * std::log(clamped);
          if (j != chosen[c]) order.push_back(static_cast<std::int32_t>(j));
        }
        std::partial_sort(order.begin(), order.begin() + k, order.end(),
                          [&](std::int32_t a, std::int32_t b) {
                            return row[a] > row[b] || (row[a] == row[b] && a < b);
                          });
        bool good = true;
        for (std::int64_t i = 0; i < k; ++i) {
          const std::int32_t index = found[chosen[c] * k + i];
          if (index < 0 || index >= count || index == chosen[c]) {
            good = false;
            continue;
          }
          // Its value is that of its pair, and no worse than what belongs there.
          worst = std::max(worst, std::abs(got[chosen[c] * k + i] - row[index]));
          good = good && row[index] > row[order[i]] - 2 * unit;
          for (std::int64_t l = 0; l < i; ++l) good = good && found[chosen[c] * k + l] != index;
          if (i > 0) good = good && got[chosen[c] * k + i] <= got[chosen[c] * k + i - 1];
        }
        if (!good) ++wrong;
        worst_entropy =
            std::max(worst_entropy, std::abs(entropy[chosen[c]] - (std::log(sum) - sum_ln / sum)));
      }
      const std::string name = "top " + std::to_string(k) + ", entropies";
      line(name.c_str(), count, width, precision, ms, 1,
           number("similarity", worst) + number("entropy", worst_entropy) +
               number("scratch MiB", arena.megabytes()) + "wrong " + std::to_string(wrong),
           worst < unit && worst_entropy < unit && wrong == 0);
    }
  }
}

}  // namespace
}  // namespace creg

int main(int count, char** words) {
  const long long largest = count > 1 ? std::atoll(words[1]) : 169343;
  for (const long long nodes : {130LL, 2708LL, 19717LL, 169343LL}) {
    for (const long long width : {100LL, 128LL, 512LL}) {
      // The odd width for small ones.
      if (nodes > largest || (width == 100 && nodes > 3000)) continue;
      creg::run(nodes, width);
    }
  }
  std::puts(creg::failed ? "something is wrong" : "all is well");
  return creg::failed ? 1 : 0;
}
