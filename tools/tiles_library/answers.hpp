// Answers that were given before: a table that only grows, without a lock. A compiler asks the same thousand questions
// for every model.
//
// A slot is filled once, by whoever is first, and never changed: readers see nothing or a whole answer. When the places
// of a question are taken it is computed again.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tilewright/tiles.h"

namespace tilewright::tiles {

struct KeptAnswer {
    std::vector<std::int64_t> given;
    std::vector<std::int64_t> point;
    tw_claim claim{};
};

class KeptAnswers {
   public:
    KeptAnswers() = default;
    KeptAnswers(const KeptAnswers&) = delete;
    KeptAnswers& operator=(const KeptAnswers&) = delete;
    ~KeptAnswers() {
        for (const std::atomic<const KeptAnswer*>& slot : slots_) delete slot.load(std::memory_order_relaxed);
    }

    const KeptAnswer* find(std::span<const std::int64_t> given) const {
        const std::size_t begin = hash(given);
        for (std::size_t i = 0; i < kProbes; ++i) {
            const KeptAnswer* kept = slots_[(begin + i) % kSlots].load(std::memory_order_acquire);
            if (kept == nullptr) return nullptr;
            if (std::ranges::equal(kept->given, given)) return kept;
        }
        return nullptr;
    }

    void keep(std::unique_ptr<const KeptAnswer> answer) {
        const std::size_t begin = hash(answer->given);
        const KeptAnswer* const kept = answer.release();  // a slot's from the exchange on
        for (std::size_t i = 0; i < kProbes; ++i) {
            const KeptAnswer* none = nullptr;
            if (slots_[(begin + i) % kSlots].compare_exchange_strong(none, kept, std::memory_order_acq_rel)) return;
            if (none->given == kept->given) break;
        }
        delete kept;
    }

   private:
    static constexpr std::size_t kSlots = 1U << 16;
    static constexpr std::size_t kProbes = 8;

    static std::size_t hash(std::span<const std::int64_t> given) {
        std::uint64_t mixed = 0x9e3779b97f4a7c15ULL;
        for (const std::int64_t value : given) {
            mixed = (mixed ^ static_cast<std::uint64_t>(value)) * 0xff51afd7ed558ccdULL;
            mixed ^= mixed >> 32;
        }
        return static_cast<std::size_t>(mixed) % kSlots;
    }

    std::array<std::atomic<const KeptAnswer*>, kSlots> slots_{};
};

}  // namespace tilewright::tiles
