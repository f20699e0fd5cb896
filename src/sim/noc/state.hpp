// Snapshots of a simulation as numbers, for comparison.
//
// Equal snapshots evolve equally. Referenced objects (packets, say) are numbered by first mention: their pool slots do
// not matter.
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

    /// Adds an object's number; true on first mention: its contents must follow.
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
