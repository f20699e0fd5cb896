// Runs emulated kernels on arrays from files: NAME.in holds all three arrays one after another, NAME.out gets them
// back. The arrays end at pages that must not be touched.
#pragma once

#include <sys/mman.h>

#include <fstream>
#include <string>
#include <vector>

#include "cuda_runtime.h"

namespace emulation {

/// `words` of float between two forbidden pages; the end is exact.
inline float* guarded_array(std::size_t words) {
    constexpr std::size_t kPage = 4096;
    const std::size_t bytes = (words * sizeof(float) + kPage - 1) / kPage * kPage;
    char* memory = static_cast<char*>(
        mmap(nullptr, bytes + 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(memory, kPage, PROT_NONE);
    mprotect(memory + kPage + bytes, kPage, PROT_NONE);
    return reinterpret_cast<float*>(memory + kPage + bytes) - words;
}

struct Case {
    std::string name;
    std::vector<std::size_t> words;
    cudaError_t (*launch)(float*, float*, float*);
};

inline int run(const Case& one) {
    std::vector<float*> arrays;
    std::ifstream in(one.name + ".in", std::ios::binary);
    for (const std::size_t words : one.words) {
        arrays.push_back(guarded_array(words));
        in.read(reinterpret_cast<char*>(arrays.back()), static_cast<std::streamsize>(words * sizeof(float)));
    }
    if (!in) return 2;
    if (one.launch(arrays[0], arrays[1], arrays[2]) != cudaSuccess) {
        std::fprintf(stderr, "%s does not start\n", one.name.c_str());
        return 3;
    }
    std::ofstream out(one.name + ".out", std::ios::binary);
    for (std::size_t i = 0; i < arrays.size(); ++i)
        out.write(reinterpret_cast<const char*>(arrays[i]), static_cast<std::streamsize>(one.words[i] * sizeof(float)));
    return out ? 0 : 2;
}

}  // namespace emulation
