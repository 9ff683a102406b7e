# Debian's faiss, found or left out, for the index behind `creg neighbors --approximate`. It is a
# static library over the system's BLAS and OpenMP, so it goes with Debian's libtorch, which is linked
# with the same ones; PyTorch's own brings others, and there must be only one of each in a process.
# -DCMAKE_DISABLE_FIND_PACKAGE_FAISS=ON leaves it out.
set(FAISS_FOUND OFF)
if(CREG_TORCH AND NOT CMAKE_DISABLE_FIND_PACKAGE_FAISS AND Torch_DIR MATCHES "^/usr/(lib|share)/")
  find_path(FAISS_INCLUDE faiss/IndexIVFFlat.h)
  find_library(FAISS_LIBRARY libfaiss.a)
  find_library(FAISS_LAPACK lapack)
  find_library(FAISS_BLAS blas)
  mark_as_advanced(FAISS_INCLUDE FAISS_LIBRARY FAISS_LAPACK FAISS_BLAS)
  if(FAISS_INCLUDE AND FAISS_LIBRARY AND FAISS_LAPACK AND FAISS_BLAS)
    set(FAISS_FOUND ON)
  endif()
endif()
