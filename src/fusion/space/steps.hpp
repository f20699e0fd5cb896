// What a group of einsums needs and makes along one axis, step by step of a shared loop: sequences of intervals.
//
// Equal sequences are one number, whatever made them, so that states of the search compare quickly. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "workload/cascade/cascade.hpp"

namespace tilewright::fusion {

/// By step; empty intervals where nothing is needed.
using Sequence = std::vector<Interval>;

class Steps {
   public:
    explicit Steps(const Cascade& cascade) : cascade_(cascade) {}

    int id(const Sequence& sequence);
    const Sequence& operator[](int id) const { return sequences_[id]; }

    /// [0, extent) in steps.
    int cut(std::int64_t extent, std::int64_t step);
    /// What an operand reaches along `axis` of its tensor where `dimension` of its einsum goes through the sequence.
    int window(int id, int einsum, int operand, int axis, int dimension);
    /// What the steps before did not have, where an overlap is kept.
    int fresh(int id);
    /// The intervals around both; nothing where these do not move one way only.
    std::optional<int> around(int a, int b);

    bool is_one(int id) const { return (*this)[id].size() == 1; }
    std::int64_t longest(int id) const { return lengths_[id].longest; }
    std::int64_t total(int id) const { return lengths_[id].total; }
    /// Steps in which there is anything.
    std::int64_t boxes(int id) const { return lengths_[id].boxes; }
    /// Lengths of those, ascending, and how many have each.
    const std::vector<std::pair<std::int64_t, std::int64_t>>& by_length(int id) const { return lengths_[id].counts; }
    /// From the first place of all steps to the last.
    std::int64_t span(int id) const;

   private:
    struct Lengths {
        std::int64_t longest = 0;
        std::int64_t total = 0;
        std::int64_t boxes = 0;
        std::vector<std::pair<std::int64_t, std::int64_t>> counts = {};
    };

    const Cascade& cascade_;
    std::vector<Sequence> sequences_;
    std::vector<Lengths> lengths_;  // by sequence
    std::map<std::vector<std::int64_t>, int> ids_;
    std::map<std::pair<std::int64_t, std::int64_t>, int> cuts_;
    std::map<std::tuple<int, int, int, int, int>, int> windows_;
    std::map<int, int> fresh_;
    std::map<std::pair<int, int>, int> around_;
};

}  // namespace tilewright::fusion
