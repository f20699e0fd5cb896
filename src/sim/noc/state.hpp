// Moments of a simulation as numbers, to find out that one is like another.
//
// Two moments with equal numbers are followed by the same. Things that are mentioned (packets, say) are numbered in the
// order of their mention: which slot of a pool they are in does not matter.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tilewright::sim {

class StateWriter {
   public:
    enum class Kind : std::uint8_t { packet, job };

    /// Begins with another moment.
    void clear() {
        words_.clear();
        ++moment_;
        mentioned_ = {};
    }

    void add(std::int64_t word) { words_.push_back(word); }

    /// Adds the number of a thing; true when it is new, and what it is has to be added next.
    bool mention(Kind kind, std::size_t id) {
        std::vector<Mention>& known = mentions_[static_cast<std::size_t>(kind)];
        if (known.size() <= id) known.resize(id + 1);
        const bool is_new = known[id].moment != moment_;
        if (is_new) known[id] = {moment_, mentioned_[static_cast<std::size_t>(kind)]++};
        add(known[id].number);
        return is_new;
    }

    std::span<const std::int64_t> words() const { return words_; }

   private:
    static constexpr std::size_t kKinds = 2;
    struct Mention {
        std::int64_t moment = 0;
        std::int64_t number = 0;
    };
    std::vector<std::int64_t> words_;
    std::array<std::vector<Mention>, kKinds> mentions_;  ///< [id]
    std::array<std::int64_t, kKinds> mentioned_{};
    std::int64_t moment_ = 1;
};

}  // namespace tilewright::sim
