#include "codesign/search.hpp"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <algorithm>
#include <set>

#include "base/numbers/checked.hpp"

namespace tilewright::codesign {
namespace {

constexpr std::size_t kBatch = 16;  // for any number of threads

/// A box in the queue, by floor, then by age.
struct Open {
    double floor = 0.0;
    std::int64_t number = 0;
    bool quick = true;  ///< the floor is the quick one
    Box box;

    bool operator<(const Open& other) const {
        return floor != other.floor ? floor < other.floor : number < other.number;
    }
};

/// Result of a box's turn.
struct Outcome {
    std::optional<double> floor;  ///< the dearer one; nothing: no valid machine
    std::vector<Open> halves;     ///< with quick floors
    std::vector<Box> empty;       ///< halves without a valid machine
    std::size_t knob = 0;         ///< of the cut
    std::optional<Mapped> mapped;
};

class Search {
   public:
    Search(Subject& subject, const explore::Space& space, const Settings& settings, const StopSource& stop)
        : subject_(subject),
          space_(space),
          settings_(settings),
          stop_(stop),
          arena_(settings.threads > 0 ? settings.threads : tbb::task_arena::automatic) {}

    Answer run(const Tell& tell) {
        begin();
        for (std::int64_t round = 1; !is_done(); ++round) {
            if (!subject_.floors_machines()) try_middle();
            if ((round & (round - 1)) == 0) try_best_halves();
            if (stop_.requested()) break;
            drop_worse();
            work_on(next());
            settle();
            note(round);
            if (tell) tell(answer_);
        }
        settle();
        if (answer_.course.empty() || answer_.course.back() != now()) answer_.course.push_back(now());
        return std::move(answer_);
    }

   private:
    bool is_done() const { return open_.empty() || stop_.requested() || answer_.counts.boxes >= settings_.most_looked; }
    double best() const { return answer_.best ? answer_.best->value : kInfinite; }
    bool is_worse(double floor) const { return floor >= best() * kClose; }

    void begin() {
        const Box all = settings_.within.value_or(whole(space_));
        const std::optional<double> floor = subject_.quick_floor(all);
        ++answer_.counts.boxes;
        answer_.cut_along.resize(all.ranges.size());
        if (floor)
            open_.insert({*floor, numbered_++, true, all});
        else
            add_empty(all);
    }

    void add_empty(const Box& box) {
        ++answer_.counts.empty_cuts;
        answer_.counts.impossible += count(box);
        end(box, End::impossible);
    }

    void end(const Box& box, End how) {
        if (settings_.keeps_tree) answer_.tree.ends.emplace(box, how);
    }

    std::vector<Open> next() {
        std::vector<Open> batch;
        while (batch.size() < kBatch && !open_.empty()) {
            batch.push_back(*open_.begin());
            open_.erase(open_.begin());
        }
        return batch;
    }

    // Drops all that cannot beat the best machine, and boxes beyond the limit.
    void drop_worse() {
        while (!open_.empty() && is_worse(open_.rbegin()->floor)) {
            cut(*open_.rbegin());
            open_.erase(--open_.end());
        }
        while (open_.size() > settings_.most_boxes) {
            dropped_ = std::min(dropped_, open_.rbegin()->floor);
            open_.erase(--open_.end());
        }
    }

    void cut(const Open& open) {
        ++(open.quick ? answer_.counts.quick_cuts : answer_.counts.floor_cuts);
        answer_.counts.worse += count(open.box);
        if (open.quick) answer_.counts.quick_worse += count(open.box);
        end(open.box, End::worse);
    }

    void work_on(std::vector<Open> batch) {
        const double enough = best() * kClose;
        std::vector<Outcome> outcomes(batch.size());
        arena_.execute([&] {
            tbb::parallel_for(std::size_t{0}, batch.size(), [&](std::size_t i) {
                if (!stop_.requested()) outcomes[i] = outcome_of(batch[i], enough);
            });
        });
        // Work cut off by the stop is incomplete: everything goes back.
        if (stop_.requested()) {
            for (Open& open : batch) open_.insert(std::move(open));
            return;
        }
        for (std::size_t i = 0; i < batch.size(); ++i) take(batch[i], outcomes[i]);
    }

    Outcome outcome_of(const Open& open, double enough) {
        Outcome outcome;
        outcome.floor = open.floor;
        if (is_floored_next(open)) {
            outcome.floor = subject_.floor(open.box, enough);
        } else if (is_single(open.box)) {
            const explore::Point point = first_point(open.box, space_);
            if (!mapped_.contains(point)) outcome.mapped = subject_.map(point);
        } else {
            add_halves(open, outcome);
        }
        return outcome;
    }

    bool is_floored_next(const Open& open) const {
        if (!open.quick || !is_single(open.box)) return open.quick;
        return subject_.floors_machines() && !mapped_.contains(first_point(open.box, space_));
    }

    void add_halves(const Open& open, Outcome& outcome) {
        outcome.knob = subject_.knob_to_cut(open.box);
        auto [low, high] = halves(open.box, outcome.knob);
        for (Box* half : {&low, &high}) {
            const std::optional<double> floor = subject_.quick_floor(*half);
            if (floor) {
                outcome.halves.push_back({std::max(*floor, open.floor), 0, true, std::move(*half)});
                continue;
            }
            outcome.empty.push_back(std::move(*half));
        }
    }

    void take(const Open& open, Outcome& outcome) {
        if (is_floored_next(open)) {
            ++answer_.counts.floors;
            if (!outcome.floor)
                add_empty(open.box);
            else
                insert({std::max(*outcome.floor, open.floor), open.number, false, open.box});
            return;
        }
        if (is_single(open.box)) {
            if (outcome.mapped) take_machine(first_point(open.box, space_), *outcome.mapped);
            end(open.box, End::mapped);
            return;
        }
        answer_.counts.boxes += 2;
        ++answer_.cut_along[outcome.knob];
        if (settings_.keeps_tree) answer_.tree.cuts.emplace(open.box, outcome.knob);
        for (const Box& box : outcome.empty) add_empty(box);
        for (Open& half : outcome.halves) {
            half.number = numbered_++;
            insert(std::move(half));
        }
    }

    void insert(Open open) {
        if (is_worse(open.floor))
            cut(open);
        else
            open_.insert(std::move(open));
    }

    void take_machine(explore::Point point, const Mapped& mapped) {
        mapped_.insert(point);
        ++answer_.counts.mapped;
        if (mapped.least) unproven_.push_back(*mapped.least);
        if (!mapped.value) {
            ++answer_.counts.invalid;
            return;
        }
        const Best found{point, *mapped.value};
        const bool better = !answer_.best || found.value < answer_.best->value ||
                            (found.value == answer_.best->value && found.point < answer_.best->point);
        if (!better) return;
        answer_.best = found;
        answer_.steps.push_back({answer_.counts.boxes, found});
    }

    // For a good answer soon: the machine in the middle of the most promising box, if it may be better.
    void try_middle() {
        Box box = open_.begin()->box;
        for (Range& range : box.ranges) {
            range.low += range.size() / 2;
            range.high = range.low + 1;
        }
        const std::optional<double> floor = subject_.quick_floor(box);
        if (floor && !is_worse(*floor)) try_machine(first_point(box, space_));
    }

    void try_machine(explore::Point point) {
        if (stop_.requested() || mapped_.contains(point)) return;
        const Mapped mapped = subject_.map(point);
        if (!stop_.requested()) take_machine(point, mapped);
    }

    // The middle may be beyond a limit: then that of the more promising half by its quick floor, and so on.
    void try_best_halves() {
        Box box = open_.begin()->box;
        while (!is_single(box) && !stop_.requested()) {
            auto [low, high] = halves(box, subject_.knob_to_cut(box));
            const double at_low = subject_.quick_floor(low).value_or(kInfinite);
            const double at_high = subject_.quick_floor(high).value_or(kInfinite);
            if (at_low == kInfinite && at_high == kInfinite) return;
            const bool is_low = at_low == at_high ? subject_.promise(low) <= subject_.promise(high) : at_low < at_high;
            box = is_low ? low : high;
        }
        try_machine(first_point(box, space_));
    }

    void settle() {
        const auto may_be_better = [&](double value) { return !is_worse(value); };
        answer_.unproven = std::ranges::count_if(unproven_, may_be_better);
        double least = std::min(dropped_, open_.empty() ? kInfinite : open_.begin()->floor);
        for (const double value : unproven_) least = std::min(least, value);
        answer_.left = open_.size();
        answer_.proven = is_worse(least) && (answer_.best || least == kInfinite);
        answer_.bound = answer_.best ? std::min(least, answer_.best->value) : least;
        if (answer_.proven && answer_.best) answer_.bound = answer_.best->value;
    }

    Moment now() const {
        const std::optional<double> value = answer_.best ? std::optional(answer_.best->value) : std::nullopt;
        return {answer_.counts.boxes, value, answer_.bound};
    }

    // Every batch, then every second, every fourth ...: as few of a long search as of a short one.
    void note(std::int64_t round) {
        constexpr std::size_t kMost = 512;
        if (round % every_ != 0) return;
        answer_.course.push_back(now());
        if (answer_.course.size() < kMost) return;
        every_ *= 2;
        std::vector<Moment> half;
        for (std::size_t i = 1; i < answer_.course.size(); i += 2) half.push_back(answer_.course[i]);
        answer_.course = std::move(half);
    }

    Subject& subject_;
    const explore::Space& space_;
    const Settings settings_;
    const StopSource& stop_;
    tbb::task_arena arena_;
    std::set<Open> open_;
    std::int64_t numbered_ = 0;
    std::int64_t every_ = 1;      ///< rounds between two recorded moments
    double dropped_ = kInfinite;  ///< the least floor of dropped boxes
    std::set<explore::Point> mapped_;
    std::vector<double> unproven_;  ///< lower bounds of mapped machines with unproven mappings
    Answer answer_;
};

}  // namespace

Answer search(Subject& subject, const explore::Space& space, const Settings& settings, const StopSource& stop,
              const Tell& tell) {
    const int all = tbb::info::default_concurrency();
    const tbb::global_control allow(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(std::max(settings.threads, all)));
    return Search(subject, space, settings, stop).run(tell);
}

namespace {

void prove_held(Held& held, const Box& box, Subject& subject, const explore::Space& space, Settings settings,
                const StopSource& stop) {
    settings.within = box;
    settings.keeps_tree = false;
    const Answer answer = search(subject, space, settings, stop);
    held.best = answer.best;
    held.proven = answer.proven;
    if (answer.best || !answer.proven) held.bound = std::max(held.bound, answer.bound);
}

}  // namespace

std::vector<Held> hold_knobs(Subject& subject, const explore::Space& space, const Settings& settings,
                             const StopSource& stop, const Answer& answer,
                             const std::function<void(std::size_t, std::size_t)>& tell) {
    const Best& best = answer.best.value();
    std::size_t all = 0;
    for (const explore::Knob& knob : space.knobs()) all += knob.values.size();
    std::vector<Held> worth;
    for (std::size_t knob = 0; knob < space.knobs().size(); ++knob)
        for (std::uint32_t position = 0; position < space.knobs()[knob].values.size(); ++position) {
            Box box = whole(space);
            box.ranges[knob] = {position, position + 1};
            Held held{knob, position, count(box), std::nullopt, best.value, false};
            if (tell) tell(worth.size(), all);
            if (space.position(best.point, knob) == position) {
                held.best = best;
                held.proven = true;
            } else if (!stop.requested()) {
                prove_held(held, box, subject, space, settings, stop);
            }
            worth.push_back(held);
        }
    return worth;
}

}  // namespace tilewright::codesign
