#include "tiles/search/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace tilewright::tiles {
namespace {

/// A point that was within the loss since the interval began.
struct Alive {
    std::vector<std::int64_t> point;
    double worst = 0.0;
};

// Two equal times may be computed with a last digit between them.
constexpr double kRounding = 1e-12;

class Cover {
   public:
    Cover(const Problem& problem, std::span<const std::int64_t> given, std::size_t axis, double loss,
          const AskOptions& options)
        : problem_(problem),
          given_(given.begin(), given.end()),
          axis_(axis),
          loss_(loss),
          options_(options),
          scorer_(problem, options.measures) {}

    Table over(Range range) {
        for (std::int64_t number = range.low; number <= range.high; ++number) {
            given_[axis_] = number;
            scan();
            if (number == range.low) {
                begin(number);
            } else if (!goes_on()) {
                end(number - 1);
                begin(number);
            }
        }
        end(range.high);
        return std::move(table_);
    }

   private:
    // All legal points here, and the best of their scores.
    void scan() {
        points_.clear();
        scores_.clear();
        best_ = 0.0;
        PointWalk walk(problem_, given_, options_.limits);
        const Walked walked = walk.each([&](const std::int64_t* slots) {
            const double score = scorer_.score(slots, walk.changed()).front();
            if (scores_.empty() || score < best_) best_ = score;
            scores_.push_back(score);
            points_.insert(points_.end(), slots + problem_.rules.point_slot(), slots + problem_.rules.let_slot());
            return true;
        });
        if (!walked.complete) table_.complete = false;
    }

    bool within(double score) const { return score <= best_ * (1.0 + loss_) * (1.0 + kRounding); }
    double loss_of(double score) const { return best_ > 0.0 ? std::max(0.0, score / best_ - 1.0) : 0.0; }

    void begin(std::int64_t number) {
        from_ = number;
        alive_.clear();
        const std::size_t width = problem_.rules.chosen.size();
        for (std::size_t i = 0; i < scores_.size(); ++i) {
            if (!within(scores_[i])) continue;
            const auto at = points_.begin() + static_cast<std::ptrdiff_t>(i * width);
            alive_.push_back({{at, at + static_cast<std::ptrdiff_t>(width)}, loss_of(scores_[i])});
        }
    }

    // Whether some point of the interval is still within the loss; those that are not are dropped.
    bool goes_on() {
        if (scores_.empty() || alive_.empty()) return scores_.empty() && alive_.empty();
        still_.clear();
        std::vector<std::int64_t> slots = slots_for(problem_, given_);
        for (const Alive& alive : alive_) {
            std::ranges::copy(alive.point, slots.begin() + problem_.rules.point_slot());
            if (!is_legal(problem_, slots, scratch_)) continue;
            const double score = scorer_.score(slots.data()).front();
            if (within(score)) still_.push_back({alive.point, std::max(alive.worst, loss_of(score))});
        }
        if (still_.empty()) return false;
        std::swap(alive_, still_);
        return true;
    }

    void end(std::int64_t to) {
        Interval interval{from_, to, {}, 0.0};
        if (!alive_.empty()) {
            const Alive& best = *std::ranges::min_element(alive_, {}, &Alive::worst);
            interval.point = best.point;
            interval.worst_loss = best.worst;
        }
        table_.intervals.push_back(std::move(interval));
    }

    const Problem& problem_;
    std::vector<std::int64_t> given_;
    std::size_t axis_;
    double loss_;
    const AskOptions& options_;
    Scorer scorer_;
    std::vector<std::int64_t> points_;
    std::vector<double> scores_;
    std::vector<Alive> alive_;
    std::vector<Alive> still_;
    std::vector<ChoiceValues> scratch_;
    double best_ = 0.0;
    std::int64_t from_ = 0;
    Table table_;
};

}  // namespace

Table make_table(const Problem& problem, std::span<const std::int64_t> given, std::size_t axis, Range range,
                 double loss, const AskOptions& options) {
    if (axis >= problem.rules.given.size()) throw InputError(ErrorCode::usage, {}, "the range is of nothing given");
    if (range.low > range.high || range.high - range.low >= kMostRange)
        throw InputError(ErrorCode::usage, {},
                         fmt::format("a range has 1 to {} numbers, found {}..{}", kMostRange, range.low, range.high));
    if (!(loss >= 0.0 && loss <= 10.0))
        throw InputError(ErrorCode::usage, {}, fmt::format("a loss is from 0 to 10 (1000 %), found {}", loss));
    return Cover(problem, given, axis, loss, options).over(range);
}

const Interval* lookup(const Table& table, std::int64_t number) {
    const auto next = std::ranges::upper_bound(table.intervals, number, {}, &Interval::from);
    if (next == table.intervals.begin()) return nullptr;
    const Interval& interval = *(next - 1);
    return number <= interval.to && !interval.point.empty() ? &interval : nullptr;
}

}  // namespace tilewright::tiles
