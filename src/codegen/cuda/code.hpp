// Code: indented program lines, and sums of products as text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workload/einsum.hpp"

namespace tilewright::cuda {

class Code {
   public:
    void line(const std::string& text);
    void blank() { text_ += '\n'; }
    /// "for (...) {": indents until close().
    void open(const std::string& text);
    void close();
    /// Closes down to `depth`.
    void close_to(int depth);
    int depth() const { return depth_; }
    const std::string& text() const { return text_; }

   private:
    std::string text_;
    int depth_ = 0;
};

/// "k_tile * 64 + k_block * 16 + k": without zeros and factors of 1. Constants come last.
class Sum {
   public:
    /// Nothing if the factor is 0.
    Sum& add(const std::string& name, std::int64_t factor = 1);
    /// factor * other; a sum of several terms is put in brackets.
    Sum& add(const Sum& other, std::int64_t factor = 1);
    bool empty() const { return terms_ == 0; }
    std::string text() const { return empty() ? "0" : text_; }

   private:
    std::string text_;
    int terms_ = 0;
};

// Identifiers for an einsum's dimensions and tensors: legal in C++, distinct, and close to their names.

struct Names {
    std::vector<std::string> dimensions;  ///< "k"
    std::vector<std::string> tensors;     ///< "weights"
};

Names names_for(const Einsum& einsum);

/// `text` in small letters, digits and underscores, starting with a letter: "layer1.0/conv" -> "layer1_0_conv".
std::string identifier(const std::string& text);

/// For a // comment: one line without a continuation.
std::string comment(const std::string& text);

}  // namespace tilewright::cuda
