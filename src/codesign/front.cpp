#include "codesign/front.hpp"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>

namespace tilewright::codesign {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::size_t kFrontBatch = 16;  // for any number of threads

// The product of all, as a logarithm: an order independent of units.
double promise_of(const Values& floors) {
    constexpr double kLeast = 1e-300;  // of floors without information
    return std::accumulate(floors.begin(), floors.end(), 0.0,
                           [=](double sum, double floor) { return sum + std::log(std::max(floor, kLeast)); });
}

/// A box in the queue; most promising first, then oldest.
struct OpenBox {
    double promise = 0.0;
    std::int64_t number = 0;
    bool quick = true;  ///< the floors are the quick ones
    Values floors;
    Box box;

    bool operator<(const OpenBox& other) const {
        return std::tie(promise, number) < std::tie(other.promise, other.number);
    }
};

OpenBox open_box(Values floors, std::int64_t number, bool quick, Box box) {
    const double promise = promise_of(floors);
    return {promise, number, quick, std::move(floors), std::move(box)};
}

/// Result of mapping a machine for every metric.
struct MappedVector {
    bool seen_worse = false;  ///< not every metric was mapped for
    bool valid = false;
    bool proven = true;  ///< the best mappings' values
    Values values;
    Values least;  ///< by metric: the value, or the lower bound of unproven mappings
};

/// Result of a box's turn.
struct BoxOutcome {
    std::optional<Values> floors;  ///< the dearer ones; nothing: no valid machine
    std::vector<OpenBox> halves;
    std::vector<Box> empty;
    std::size_t knob = 0;  ///< of the cut
    std::optional<MappedVector> mapped;
};

// Removes those with floors covered by another.
std::vector<Remaining> envelope_of(std::vector<Remaining> all) {
    std::ranges::sort(all, [](const Remaining& a, const Remaining& b) {
        return std::tie(a.floors, a.box) < std::tie(b.floors, b.box);
    });
    std::vector<Remaining> least;
    for (Remaining& one : all)
        if (std::ranges::none_of(least, [&](const Remaining& other) { return covers(other.floors, one.floors); }))
            least.push_back(std::move(one));
    return least;
}

class FrontSearch {
   public:
    FrontSearch(const std::vector<Subject*>& metrics, const explore::Space& space, const Settings& settings,
                const StopSource& stop)
        : metrics_(metrics),
          space_(space),
          settings_(settings),
          stop_(stop),
          arena_(settings.threads > 0 ? settings.threads : tbb::task_arena::automatic) {}

    FrontAnswer run(const TellFront& tell) {
        begin();
        for (std::int64_t round = 1; !open_.empty() && !stop_.requested(); ++round) {
            const bool rare = (round & (round - 1)) == 0;
            try_middle();
            if (rare) try_descents();
            if (stop_.requested()) break;
            drop();
            work_on(next());
            if (rare) settle();
            if (tell) tell(answer_);
        }
        drop();
        settle();
        return std::move(answer_);
    }

   private:
    std::optional<Values> quick_floors(const Box& box) const {
        Values floors;
        for (Subject* metric : metrics_) {
            const std::optional<double> floor = metric->quick_floor(box);
            if (!floor) return std::nullopt;
            floors.push_back(*floor);
        }
        return floors;
    }

    void begin() {
        const Box all = whole(space_);
        std::optional<Values> floors = quick_floors(all);
        ++answer_.counts.boxes;
        answer_.cut_along.resize(all.ranges.size());
        if (floors)
            open_.insert(open_box(*std::move(floors), numbered_++, true, all));
        else
            add_empty(all);
    }

    void add_empty(const Box& box) {
        ++answer_.counts.empty_cuts;
        answer_.counts.impossible += count(box);
    }

    void add_worse(const OpenBox& open) {
        ++(open.quick ? answer_.counts.quick_cuts : answer_.counts.floor_cuts);
        answer_.counts.worse += count(open.box);
        if (open.quick) answer_.counts.quick_worse += count(open.box);
    }

    void insert(OpenBox open) {
        if (found_.covered(open.floors))
            add_worse(open);
        else
            open_.insert(std::move(open));
    }

    // Drops all that cannot beat a machine found, and boxes beyond the limit.
    void drop() {
        if (found_more_)
            std::erase_if(open_, [&](const OpenBox& open) {
                const bool worse = found_.covered(open.floors);
                if (worse) add_worse(open);
                return worse;
            });
        found_more_ = false;
        while (open_.size() > settings_.most_boxes) {
            const OpenBox& last = *open_.rbegin();
            if (!dropped_) dropped_ = Remaining{whole(space_), last.floors};
            for (std::size_t m = 0; m < last.floors.size(); ++m)
                dropped_->floors[m] = std::min(dropped_->floors[m], last.floors[m]);
            open_.erase(--open_.end());
        }
    }

    std::vector<OpenBox> next() {
        std::vector<OpenBox> batch;
        while (batch.size() < kFrontBatch && !open_.empty())
            batch.push_back(std::move(open_.extract(open_.begin()).value()));
        return batch;
    }

    void work_on(std::vector<OpenBox> batch) {
        std::vector<BoxOutcome> outcomes(batch.size());
        arena_.execute([&] {
            tbb::parallel_for(std::size_t{0}, batch.size(), [&](std::size_t i) {
                if (!stop_.requested()) outcomes[i] = outcome_of(batch[i]);
            });
        });
        // Work cut off by the stop is incomplete: everything goes back.
        if (stop_.requested()) {
            for (OpenBox& open : batch) open_.insert(std::move(open));
            return;
        }
        for (std::size_t i = 0; i < batch.size(); ++i) take(batch[i], outcomes[i]);
    }

    BoxOutcome outcome_of(const OpenBox& open) const {
        BoxOutcome outcome;
        if (is_single(open.box)) {
            const explore::Point point = first_point(open.box, space_);
            if (!mapped_.contains(point)) outcome.mapped = mapped(point, open.floors);
        } else if (open.quick) {
            outcome.floors = dearer_floors(open);
        } else {
            add_halves(open, outcome);
        }
        return outcome;
    }

    // Metric by metric, until they rule out the box.
    std::optional<Values> dearer_floors(const OpenBox& open) const {
        Values floors = open.floors;
        for (std::size_t m = 0; m < metrics_.size() && !found_.covered(floors); ++m) {
            const std::optional<double> floor = metrics_[m]->floor(open.box, found_.enough(floors, m));
            if (!floor) return std::nullopt;
            floors[m] = std::max(floors[m], *floor);
        }
        return floors;
    }

    // Metric by metric, until it is known to be worse than another machine.
    MappedVector mapped(explore::Point point, const Values& floors) const {
        MappedVector vector{false, true, true, floors, floors};
        for (std::size_t m = 0; m < metrics_.size() && !vector.seen_worse && !stop_.requested(); ++m) {
            const Mapped one = metrics_[m]->map(point);
            vector.valid = vector.valid && one.value;
            vector.proven = vector.proven && !one.least;
            if (!one.value && !one.least) {
                vector.proven = true;  // no mapping makes it valid
                return vector;
            }
            vector.values[m] = one.value.value_or(kNever);
            vector.least[m] = std::max(floors[m], one.least.value_or(vector.values[m]));
            vector.seen_worse = m + 1 < metrics_.size() && found_.covered(vector.least);
        }
        return vector;
    }

    void add_halves(const OpenBox& open, BoxOutcome& outcome) const {
        std::set<std::size_t> knobs;
        for (Subject* metric : metrics_) knobs.insert(metric->knob_to_cut(open.box));
        double best = -kNever;
        for (const std::size_t knob : knobs) {
            BoxOutcome cut;
            const double gain = try_cut(open, knob, cut);
            if (gain <= best) continue;
            best = gain;
            outcome = std::move(cut);
            outcome.knob = knob;
        }
    }

    // Joint promise of both halves; ruling one out at once is worth more than any floor.
    double try_cut(const OpenBox& open, std::size_t knob, BoxOutcome& cut) const {
        constexpr double kRuledOut = 1.0;
        double gain = 0.0;
        auto [low, high] = halves(open.box, knob);
        for (Box* half : {&low, &high}) {
            std::optional<Values> floors = quick_floors(*half);
            if (!floors) {
                gain += open.promise + kRuledOut;
                cut.empty.push_back(std::move(*half));
                continue;
            }
            for (std::size_t m = 0; m < floors->size(); ++m) (*floors)[m] = std::max((*floors)[m], open.floors[m]);
            cut.halves.push_back(open_box(*std::move(floors), 0, true, std::move(*half)));
            gain += cut.halves.back().promise + (found_.covered(cut.halves.back().floors) ? kRuledOut : 0.0);
        }
        return gain;
    }

    void take(const OpenBox& open, BoxOutcome& outcome) {
        if (is_single(open.box)) {
            if (outcome.mapped) take_machine(first_point(open.box, space_), *outcome.mapped);
            return;
        }
        if (open.quick) {
            ++answer_.counts.floors;
            if (!outcome.floors) return add_empty(open.box);
            return insert(open_box(*std::move(outcome.floors), open.number, false, open.box));
        }
        answer_.counts.boxes += 2;
        ++answer_.cut_along[outcome.knob];
        for (const Box& box : outcome.empty) add_empty(box);
        for (OpenBox& half : outcome.halves) {
            half.number = numbered_++;
            insert(std::move(half));
        }
    }

    void take_machine(explore::Point point, const MappedVector& mapped) {
        mapped_.insert(point);
        ++answer_.counts.mapped;
        if (mapped.seen_worse) return;
        if (!mapped.proven) unproven_.push_back({box_of(point, space_), mapped.least});
        if (!mapped.valid) {
            ++answer_.counts.invalid;
            return;
        }
        if (found_.add({point, mapped.values})) found_more_ = true;
    }

    // For good machines soon: the one in the middle of the most promising box.
    void try_middle() {
        Box box = open_.begin()->box;
        for (Range& range : box.ranges) {
            range.low += range.size() / 2;
            range.high = range.low + 1;
        }
        try_machine(box);
    }

    void try_machine(const Box& box) {
        const explore::Point point = first_point(box, space_);
        if (stop_.requested() || mapped_.contains(point)) return;
        const std::optional<Values> floors = quick_floors(box);
        if (!floors || found_.covered(*floors)) return;
        const MappedVector vector = mapped(point, *floors);
        if (!stop_.requested()) take_machine(point, vector);
    }

    // The ends of the front, and its middle: from the most promising box always into the most promising half, in each
    // metric alone and in all of them.
    void try_descents() {
        for (std::size_t metric = 0; metric <= metrics_.size(); ++metric) {
            const auto promises = [&](const Box& box) {
                const std::optional<Values> floors = quick_floors(box);
                if (!floors) return kNever;
                return metric < metrics_.size() ? (*floors)[metric] : promise_of(*floors);
            };
            const auto least = std::ranges::min_element(open_, {}, [&](const OpenBox& open) {
                return metric < metrics_.size() ? open.floors[metric] : open.promise;
            });
            Box box = least->box;
            Subject& by = *metrics_[std::min(metric, metrics_.size() - 1)];
            while (!is_single(box) && !stop_.requested()) {
                auto [low, high] = halves(box, by.knob_to_cut(box));
                const double at_low = promises(low);
                const double at_high = promises(high);
                if (at_low == kNever && at_high == kNever) break;
                box = at_low <= at_high ? low : high;
            }
            if (is_single(box)) try_machine(box);
        }
    }

    void settle() {
        answer_.front = found_.front();
        std::vector<Remaining> remaining;
        answer_.unproven = 0;
        for (const Remaining& one : unproven_)
            if (!found_.covered(one.floors)) {
                ++answer_.unproven;
                remaining.push_back(one);
            }
        for (const OpenBox& open : open_)
            if (!found_.covered(open.floors)) remaining.push_back({open.box, open.floors});
        if (dropped_ && !found_.covered(dropped_->floors)) remaining.push_back(*dropped_);
        answer_.left = open_.size();
        answer_.proven = remaining.empty();
        answer_.envelope = envelope_of(std::move(remaining));
        answer_.gap = 0.0;
        for (const Remaining& one : answer_.envelope) answer_.gap = std::max(answer_.gap, found_.gap(one.floors));
        answer_.course.push_back({answer_.counts.boxes, static_cast<std::int64_t>(answer_.front.size()), answer_.gap});
    }

    const std::vector<Subject*>& metrics_;
    const explore::Space& space_;
    const Settings settings_;
    const StopSource& stop_;
    tbb::task_arena arena_;
    std::set<OpenBox> open_;
    std::int64_t numbered_ = 0;
    std::optional<Remaining> dropped_;  ///< no dropped box has less of any metric
    std::set<explore::Point> mapped_;
    std::vector<Remaining> unproven_;  ///< lower bounds of mapped machines with unproven mappings
    FoundMachines found_;
    bool found_more_ = false;  ///< since boxes were last compared with it
    FrontAnswer answer_;
};

}  // namespace

FrontAnswer search_front(const std::vector<Subject*>& metrics, const explore::Space& space, const Settings& settings,
                         const StopSource& stop, const TellFront& tell) {
    const int all = tbb::info::default_concurrency();
    const tbb::global_control allow(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(std::max(settings.threads, all)));
    return FrontSearch(metrics, space, settings, stop).run(tell);
}

}  // namespace tilewright::codesign
