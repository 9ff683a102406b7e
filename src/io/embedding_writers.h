// Embeddings in the text and tensor forms that other tools read. Rows are nodes in input order;
// `names` is empty (the names are then 0..N-1) or has one per row. The caller commits the file, so
// that several can appear together. Numbers in text are the shortest that read back as the same
// float.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "creg/core/context.h"
#include "creg/graph/graph.h"
#include "io/file.h"

namespace creg {

/// In the form that the file's name ends with; of .npy the numbers alone. Another ending is an
/// input error, which check_embedding_ending tells before there is anything to write.
void write_embedding(const Context& context, AtomicFile& file, const DenseMatrix& embedding,
                     const NodeNames& names);
void check_embedding_ending(const std::filesystem::path& path);

/// `name<TAB>x1<TAB>x2…`, one line per node. Tabs and line ends inside names become blanks, which
/// is noticed once in the log.
void write_embedding_tsv(const Context& context, AtomicFile& file, const DenseMatrix& embedding,
                         const NodeNames& names);

/// A line `node,x1,x2…`, then one per node. Names are quoted as RFC 4180 says where they need it.
void write_embedding_csv(const Context& context, AtomicFile& file, const DenseMatrix& embedding,
                         const NodeNames& names);

/// The two files that the TensorFlow embedding projector opens: `vectors` with nothing but numbers,
/// and the metadata of its rows, which are the names alone, without a line of titles, or with
/// `labels`, one per row, a line `name<TAB>label` and both. Tabs and line ends become blanks. Both
/// appear whole, or neither.
void write_projector_files(const Context& context, const std::filesystem::path& vectors,
                           const DenseMatrix& embedding, const NodeNames& names,
                           std::span<const std::string> labels);
/// X.metadata.tsv for X.tsv.
std::filesystem::path projector_metadata_path(const std::filesystem::path& vectors);

/// word2vec's text form: a line `N d`, then `name x1 x2…`. White space inside names becomes `_`, an
/// empty name too, which is noticed once in the log.
void write_embedding_word2vec(const Context& context, AtomicFile& file,
                              const DenseMatrix& embedding, const NodeNames& names);

/// One F32 tensor `embedding`; with names also `__metadata__.names`, a JSON array as a string.
/// Names that are not UTF-8 get replacement characters, which is noticed once in the log.
void write_embedding_safetensors(const Context& context, AtomicFile& file,
                                 const DenseMatrix& embedding, const NodeNames& names);

}  // namespace creg
