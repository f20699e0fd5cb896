// Cells of a tensor: words that the same boxes cover, by coordinates along each axis.
//
//     Cells cells(shape, drams);
//     for (...) cells.add(box);                              // returns its number
//     cells.visit([&](std::int64_t words, std::span<const std::int64_t> by_dram, std::span<const std::uint64_t>
//     covering) {});
//
// `covering` has bit i for box i. Intervals of an axis that the same boxes cover are one class, however many there are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "multicore/problem.hpp"

namespace tilewright::multicore {

class Cells {
   public:
    /// `drams`: over how many words are interleaved; 1: not.
    Cells(const std::vector<std::int64_t>& shape, int drams) : shape_(shape), drams_(drams) {}

    int add(const Box& box) {
        boxes_.push_back(&box);
        return static_cast<int>(boxes_.size()) - 1;
    }
    int count() const { return static_cast<int>(boxes_.size()); }

    /// Cells that at least one box covers. The boxes have to live until then.
    template <typename Visit>
    void visit(const Visit& use) {
        if (boxes_.empty()) return;
        prepare();
        go(0, 1, use);
    }

   private:
    struct Class {
        std::vector<std::uint64_t> covering;
        std::int64_t length = 0;
        std::vector<std::int64_t> by_dram;
    };

    void prepare();
    std::vector<Class> classes_of(std::size_t axis, std::int64_t stride) const;

    template <typename Visit>
    void go(std::size_t axis, std::int64_t words, const Visit& use) {
        if (axis == axes_.size()) {
            use(words, std::span<const std::int64_t>(dram_words_[axis]), std::span<const std::uint64_t>(open_[axis]));
            return;
        }
        for (const Class& one : axes_[axis]) {
            std::uint64_t any = 0;
            for (std::size_t w = 0; w < one.covering.size(); ++w)
                any |= open_[axis + 1][w] = open_[axis][w] & one.covering[w];
            if (any == 0) continue;
            if (drams_ > 1) {
                std::ranges::fill(dram_words_[axis + 1], 0);
                for (int a = 0; a < drams_; ++a)
                    for (int b = 0; b < drams_; ++b)
                        dram_words_[axis + 1][(a + b) % drams_] += dram_words_[axis][a] * one.by_dram[b];
            }
            go(axis + 1, words * one.length, use);
        }
    }

    const std::vector<std::int64_t>& shape_;
    int drams_;
    std::vector<const Box*> boxes_;
    std::vector<std::vector<Class>> axes_;
    std::vector<std::vector<std::uint64_t>> open_;       // by axis: boxes that cover what is chosen before it
    std::vector<std::vector<std::int64_t>> dram_words_;  // by axis: of what is chosen before it, by DRAM
};

}  // namespace tilewright::multicore
