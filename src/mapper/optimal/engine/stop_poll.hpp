// Polls a stop function at intervals.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

namespace tilewright::optimal {

class StopPoll {
   public:
    /// An empty `asked` never stops.
    explicit StopPoll(std::function<bool()> asked) : asked_(std::move(asked)) {}

    /// Counts a label. True once stopped.
    bool count() {
        constexpr std::uint64_t kEvery = 64;
        if (++labels_ % kEvery == 0 && !stopped_ && asked_) stopped_ = asked_();
        return stopped_;
    }
    bool stopped() const { return stopped_; }

   private:
    std::function<bool()> asked_;
    std::uint64_t labels_ = 0;
    bool stopped_ = false;
};

}  // namespace tilewright::optimal
