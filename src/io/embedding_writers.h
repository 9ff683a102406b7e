// Embeddings in the text and tensor forms that other tools read. Rows are nodes in input order;
// `names` is empty (the names are then 0..N-1) or has one per row. Each file appears whole or not
// at all. Numbers in text are the shortest that read back as the same float.
#pragma once

#include <filesystem>

#include "creg/core/context.h"
#include "creg/graph/graph.h"

namespace creg {

/// `name<TAB>x1<TAB>x2…`, one line per node. Tabs and line ends inside names become blanks, which
/// is noticed once in the log.
void write_embedding_tsv(const Context& context, const std::filesystem::path& path,
                         const DenseMatrix& embedding, const NodeNames& names);

/// word2vec's text form: a line `N d`, then `name x1 x2…`. White space inside names becomes `_`, an
/// empty name too, which is noticed once in the log.
void write_embedding_word2vec(const Context& context, const std::filesystem::path& path,
                              const DenseMatrix& embedding, const NodeNames& names);

/// One F32 tensor `embedding`; with names also `__metadata__.names`, a JSON array as a string.
/// Names that are not UTF-8 get replacement characters, which is noticed once in the log.
void write_embedding_safetensors(const Context& context, const std::filesystem::path& path,
                                 const DenseMatrix& embedding, const NodeNames& names);

}  // namespace creg
