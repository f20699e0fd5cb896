#include "certificate/common/stages.hpp"

#include <algorithm>
#include <map>

namespace tilewright::certificate {
namespace {

/// By memory its stored tensors, and an additional bit for the store of a memory keeping nothing.
using Stored = std::array<std::uint32_t, kMaxMemories>;

class Builder {
   public:
    Builder(const Charges& charges, Storage storage)
        : charges_(charges), storage_(storage), levels_(charges.level_count()), nothing_(1U << charges.tensor_count()) {
        for (int l = 0; l < levels_; ++l) {
            const std::uint32_t keep = charges.assignment()[l].keep.bits();
            all_[l] = keep == 0 ? nothing_ : keep;
            const auto& spatial = charges.assignment()[l].spatial;
            spreads_[l] = std::any_of(spatial.begin(), spatial.begin() + charges.dimension_count(),
                                      [](std::int32_t factor) { return factor > 1; });
        }
    }

    std::vector<Stage> run() {
        std::vector<Stored> front{Stored{}};
        while (!front.empty()) {
            std::map<Stored, int> numbers;
            std::vector<Stored> outside;
            const int first = static_cast<int>(stages_.size() + front.size());
            for (const Stored& stored : front) {
                Stage stage = stage_of(stored);
                for (const auto& [memory, bits] : choices(stored, stage.crossed)) {
                    Stored more = stored;
                    more[memory] |= bits;
                    const auto [at, is_new] = numbers.try_emplace(more, first + static_cast<int>(outside.size()));
                    if (is_new) outside.push_back(more);
                    stage.next.push_back({memory, bits & ~nothing_, at->second});
                }
                stages_.push_back(std::move(stage));
            }
            front = std::move(outside);
        }
        for (Stage& stage : stages_)
            stage.owner_goes_on = std::any_of(stage.next.begin(), stage.next.end(), [&](const Storing& storing) {
                return stages_[storing.to].owner == stage.owner;
            });
        return std::move(stages_);
    }

   private:
    using Choice = std::pair<int, std::uint32_t>;

    bool is_whole(const Stored& stored, int level) const { return stored[level] == all_[level]; }

    bool is_whole_inside(const Stored& stored, int level) const {
        for (int l = level + 1; l < levels_; ++l)
            if (!is_whole(stored, l)) return false;
        return true;
    }

    Stage stage_of(const Stored& stored) const {
        Stage stage;
        for (int l = 0; l < levels_; ++l) {
            stage.missing[l] = all_[l] & ~stored[l] & ~nothing_;
            if (stored[l] == 0) stage.owner = l;
            if (is_whole(stored, l)) stage.whole |= 1U << l;
            if (stored[l] != 0 && !is_whole(stored, l)) stage.begun |= 1U << l;
        }
        stage.crossed = levels_;
        while (stage.crossed > 0 && stands_outside(stored, stage.crossed - 1)) --stage.crossed;
        for (int t = 0; t < charges_.tensor_count(); ++t) stage.reached[t] = reached(stored, t);
        return stage;
    }

    // A fan-out is crossed once all stores inside it are placed: no temporal loop may come before. One without loops is
    // ignored. That of an even mapping belongs to its memory.
    bool stands_outside(const Stored& stored, int fanout) const {
        if (storage_ == Storage::even || spreads_[fanout]) return is_whole_inside(stored, fanout);
        return true;
    }

    int reached(const Stored& stored, int t) const {
        int level = levels_;
        for (int l = levels_ - 1; l >= 0; --l)
            if (charges_.keeps(t, l) && (stored[l] >> t & 1U) != 0) level = l;
        while (level > 0 && !charges_.keeps(t, level - 1) && stored[level - 1] != 0) --level;
        return level;
    }

    // The next possible stores. The outermost memory is stored last.
    std::vector<Choice> choices(const Stored& stored, int crossed) const {
        std::vector<Choice> choices;
        for (int l = levels_ - 1; l >= crossed; --l) {
            if (is_whole(stored, l)) continue;
            const bool at_once = storage_ == Storage::even || l == 0;
            if (at_once && is_whole_inside(stored, l)) choices.emplace_back(l, all_[l]);
            if (at_once) continue;
            for (std::uint32_t left = all_[l] & ~stored[l]; left != 0; left &= left - 1) {
                const std::uint32_t one = left & (~left + 1);
                if (one == nothing_ || is_stored_inside(stored, l, one)) choices.emplace_back(l, one);
            }
        }
        return choices;
    }

    bool is_stored_inside(const Stored& stored, int level, std::uint32_t one) const {
        for (int l = level + 1; l < levels_; ++l)
            if ((all_[l] & ~stored[l] & one) != 0) return false;
        return true;
    }

    const Charges& charges_;
    Storage storage_;
    int levels_;
    std::uint32_t nothing_;
    Stored all_{};
    std::array<bool, kMaxMemories> spreads_{};
    std::vector<Stage> stages_;
};

}  // namespace

std::vector<Stage> stages_of(const Charges& charges, Storage storage) { return Builder(charges, storage).run(); }

}  // namespace tilewright::certificate
