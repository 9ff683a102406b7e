#include "io/checksum.h"

#include <array>
#include <memory>
#include <string_view>

#include "creg/core/error.h"

#ifdef CREG_HAS_OPENSSL
#include <openssl/evp.h>
#endif

namespace creg {

#ifdef CREG_HAS_OPENSSL

namespace {

std::string digest(const EVP_MD* method, std::string_view prefix, const Bytes& bytes) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> state(EVP_MD_CTX_new(),
                                                                      &EVP_MD_CTX_free);
  std::array<unsigned char, EVP_MAX_MD_SIZE> raw{};
  unsigned int size = 0;
  const bool done = state && EVP_DigestInit_ex(state.get(), method, nullptr) == 1 &&
                    EVP_DigestUpdate(state.get(), prefix.data(), prefix.size()) == 1 &&
                    EVP_DigestUpdate(state.get(), bytes.data.data(), bytes.data.size()) == 1 &&
                    EVP_DigestFinal_ex(state.get(), raw.data(), &size) == 1;
  if (!done) fail_environment({.what = "OpenSSL cannot compute a checksum", .file = bytes.name});
  constexpr std::string_view digits = "0123456789abcdef";
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) {
    hex += digits[raw[i] >> 4];
    hex += digits[raw[i] & 0xf];
  }
  return hex;
}

}  // namespace

bool sha256_available() {
  return true;
}

std::string sha256(const Bytes& bytes) {
  return digest(EVP_sha256(), {}, bytes);
}

std::string git_blob_id(const Bytes& bytes) {
  std::string prefix = "blob " + std::to_string(bytes.data.size());
  prefix += '\0';
  return digest(EVP_sha1(), prefix, bytes);
}

#else

namespace {

[[noreturn]] void fail_without_openssl(const Bytes& bytes) {
  fail_environment({.what = "this build has no OpenSSL and cannot compute the checksum",
                    .file = bytes.name,
                    .hint = "build again where OpenSSL's development files are installed"});
}

}  // namespace

bool sha256_available() {
  return false;
}

std::string sha256(const Bytes& bytes) {
  fail_without_openssl(bytes);
}

std::string git_blob_id(const Bytes& bytes) {
  fail_without_openssl(bytes);
}

#endif

}  // namespace creg
