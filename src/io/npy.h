// .npy files: one NumPy array each.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "creg/graph/graph.h"
#include "io/containers/ndarray.h"
#include "io/file.h"

namespace creg {

/// Format versions 1.0, 2.0 and 3.0. The array keeps the file's bytes alive and refers to them.
NdArray read_npy(const Bytes& file);

/// The shape alone: no more of the file than its header need be there.
std::vector<std::int64_t> read_npy_shape(const Bytes& start);

/// True when the bytes start as an .npy file does.
bool is_npy(const Bytes& bytes);

/// All bytes before the data of an array in C order; their number is a multiple of 64, so that the
/// data of a mapped file are aligned. `descr` is NumPy's name of the type, such as "<f4".
std::string npy_header(std::string_view descr, std::span<const std::int64_t> shape);

/// NumPy's name of a number type as this machine stores it.
template <class Number>
std::string npy_descr();

/// Into a file that the caller commits.
void write_npy(AtomicFile& file, const DenseMatrix& matrix);
void write_npy(const std::filesystem::path& path, const DenseMatrix& matrix);
void write_npy(const std::filesystem::path& path, std::span<const std::int32_t> values);

}  // namespace creg
