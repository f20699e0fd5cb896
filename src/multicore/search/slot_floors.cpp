#include "multicore/search/slot_floors.hpp"

#include <algorithm>
#include <numeric>

namespace tilewright::multicore {
namespace {

constexpr std::size_t kMostChoices = 8;  // of sources that are kept or streamed
constexpr int kMostAhead = 8;            // stages whose lags are chosen

double sum(const std::vector<double>& all) { return std::accumulate(all.begin(), all.end(), 0.0); }

// `by_step` from a slot on.
void add(const std::vector<double>& by_step, int slot, std::vector<double>& by_slot) {
    for (std::size_t i = 0; i < by_step.size(); ++i) by_slot[slot + 1 + i] += by_step[i];
}

}  // namespace

SlotFloors::SlotFloors(const Evaluator& evaluator, const Way& way, const StopSource* stop)
    : problem_(evaluator.problem()),
      way_(way),
      stop_(stop),
      cores_(way.size > 0 ? way.size : problem_.package().core_count()),
      steps_(way.frame.made->steps),
      slots_(steps_ + 2 * way.stages() + 2),
      of_core_(1.0 / cores_),
      of_word_(1.0 / dram_prices(evaluator).rate),
      stages_(way.stages()) {
    for (int stage = 0; stage < way.stages(); ++stage) {
        std::uint64_t& before = before_.emplace_back(0);
        for (int other = 0; other < stage; ++other)
            if (problem_.depends(way.frame.first + stage, way.frame.first + other))
                before |= before_[other] | std::uint64_t{1} << other;
    }
    for (int stage = 0; stage < way.stages(); ++stage) {
        throw_if_stopped(stop);
        Stage& one = stages_[stage];
        const int einsum = way.frame.first + stage;
        std::vector<StepFloor> least;
        for (int size = 1; size <= cores_; ++size) {
            if (way.size > 0 && size < cores_) continue;
            const std::vector<StepFloor>& of_size = way.shapes[stage]->least_steps_of_size(size);
            least.resize(std::max(least.size(), of_size.size()), {kNever, kNever});
            for (std::size_t s = 0; s < of_size.size(); ++s) least[s].busy = std::min(least[s].busy, of_size[s].busy);
        }
        for (const int sort : way.shapes[stage]->sorts()) one.busy.push_back(sort >= 0 ? least[sort].busy : 0.0);
        one.out.assign(steps_, 0.0);
        for (const int tensor : problem_.worker(einsum).results)
            if (problem_.is_wanted(tensor, way.frame.last))
                for (int i = 0; i < steps_; ++i)
                    one.out[i] += static_cast<double>(words_of(way.frame.made->of(einsum)[i]));
        for (const double words : one.out) least_words_ += words;
        add_sources(stage);
    }
}

// Words of a tensor that a stage touches, where it leaves no gaps; `kept`: less those of steps before.
std::vector<double> SlotFloors::words_by_step(int stage, int tensor, bool kept) const {
    const int einsum = way_.frame.first + stage;
    std::vector<double> words(steps_, 0.0);
    for (const Reading& reading : problem_.worker(einsum).reads) {
        if (reading.tensor != tensor) continue;
        const Access& access = problem_.cascade().einsums[einsum].accesses[reading.operand];
        Box before;  // around those of the steps before, which follow one another along an axis
        for (int i = 0; i < steps_; ++i) {
            const Box& made = way_.frame.made->of(einsum)[i];
            if (is_empty(made)) continue;
            const Box points = problem_.points_behind(einsum, made);
            Box box = problem_.touched(einsum, reading, points);
            std::int64_t now = access.anywhere || is_gapless(access, points) ? words_of(box) : 0;
            if (kept && now > 0 && !before.empty())
                if (const Box both = common(box, before); !is_empty(both)) now -= words_of(both);
            if (kept && !is_empty(box)) before = before.empty() ? std::move(box) : hull(before, box);
            words[i] = std::max(words[i], static_cast<double>(now));
        }
    }
    return words;
}

// A stage whose steps need no word that the first reader needs in a later step, and which works in later slots.
bool SlotFloors::is_behind(int stage, int first, int tensor) const {
    if ((before_[stage] >> first & 1U) == 0) return false;
    const auto touched = [&](int one, int step) {
        Box all;
        const int einsum = way_.frame.first + one;
        const Box& made = way_.frame.made->of(einsum)[step];
        if (is_empty(made)) return all;
        const Box points = problem_.points_behind(einsum, made);
        for (const Reading& reading : problem_.worker(einsum).reads)
            if (reading.tensor == tensor) {
                const Box box = problem_.touched(einsum, reading, points);
                all = all.empty() ? box : hull(all, box);
            }
        return all;
    };
    Box behind;  // that the first reader needs in later steps
    for (int i = steps_ - 1; i >= 0; --i) {
        const Box own = touched(stage, i);
        if (!own.empty() && !behind.empty() && !is_empty(common(own, behind))) return false;
        const Box needed = touched(first, i);
        if (!needed.empty()) behind = behind.empty() ? needed : hull(behind, needed);
    }
    return true;
}

SlotFloors::Reader SlotFloors::reader_of(int stage, int tensor) const {
    Reader reader{stage, 0, words_by_step(stage, tensor, true), words_by_step(stage, tensor, false)};
    for (const Reading& reading : problem_.worker(way_.frame.first + stage).reads)
        if (reading.tensor == tensor) reader.operands |= std::uint32_t{1} << reading.operand;
    return reader;
}

void SlotFloors::add_sources(int stage) {
    const int einsum = way_.frame.first + stage;
    const auto reads_once = [&](int reader, int tensor) {
        return std::ranges::count(problem_.worker(reader).reads, tensor, &Reading::tensor) == 1;
    };
    for (const Reading& reading : problem_.worker(einsum).reads) {
        if (way_.frame.is_inside(problem_.maker(reading.tensor))) continue;
        bool counts = reads_once(einsum, reading.tensor);
        std::vector<int> later;
        for (const int reader : problem_.readers(reading.tensor)) {
            if (!way_.frame.is_inside(reader) || reader == einsum) continue;
            later.push_back(reader - way_.frame.first);
            counts = counts && is_behind(later.back(), stage, reading.tensor);
        }
        if (!counts) continue;
        Source source{reader_of(stage, reading.tensor), {}, later.empty() ? stage : later.back()};
        if (later.size() == 1 && reads_once(way_.frame.first + later.front(), reading.tensor))
            source.second = reader_of(later.front(), reading.tensor);
        for (int i = 0; i < steps_; ++i) {
            source.extra += source.first.streamed[i] - source.first.kept[i];
            least_words_ += source.first.kept[i];
        }
        stages_[stage].sources.push_back(std::move(source));
    }
}

void SlotFloors::place(Places& places, int lag, std::uint32_t streamed) const {
    const std::size_t stage = places.offsets.size();
    int offset = 0;
    for (std::size_t p = 0; p < stage; ++p)
        if (problem_.depends(way_.frame.first + static_cast<int>(stage), way_.frame.first + static_cast<int>(p)))
            offset = std::max(offset, places.offsets[p] + places.lags[p]);
    places.offsets.push_back(offset);
    places.lags.push_back(lag);
    places.streamed.push_back(streamed);
}

void SlotFloors::add_first(const Places& places, const Source& source, std::vector<double>& words) const {
    const bool is_streamed = source.first.is_streamed(places);
    add(is_streamed ? source.first.streamed : source.first.kept,
        places.offsets[source.first.stage] - (is_streamed ? 0 : 1), words);
}

// What comes again: the first reader had it in an earlier slot, and left none where it streamed. What is kept comes
// with what the slot before streams.
void SlotFloors::add_second(const Places& places, const Source& source, std::vector<double>& words) const {
    const int offset = places.offsets[source.second.stage];
    if (source.second.is_streamed(places))
        add(source.second.streamed, offset, words);
    else if (source.first.is_streamed(places) && offset > places.offsets[source.first.stage] + 1)
        add(source.second.kept, offset - 1, words);
}

void SlotFloors::add_words(const Places& places, int stage, int last, std::vector<double>& words) const {
    for (int first = 0; first <= stage; ++first)
        for (const Source& source : stages_[first].sources) {
            if (source.last_reader <= last) continue;
            if (first == stage) add_first(places, source, words);
            if (source.second.stage == stage) add_second(places, source, words);
        }
}

void SlotFloors::add_shape(int stage, const FlooredShape& shape, int offset, Slots& slots) const {
    const std::vector<int>& sorts = way_.shapes[stage]->sorts();
    for (int i = 0; i < steps_; ++i) {
        if (sorts[i] < 0) continue;
        slots.slowest[offset + 1 + i] += shape.steps[sorts[i]].slowest;
        slots.busy[offset + 1 + i] += shape.steps[sorts[i]].busy;
    }
    add(stages_[stage].out, offset + (shape.shape.members > 1 ? 1 : 0), slots.words);
}

double SlotFloors::cycles(const Slots& now, const Slots* more, const Rest* rest, double cut) const {
    double all = 0.0;
    for (int t = 0; t < slots_ && all < cut; ++t) {
        double busy = now.busy[t];
        double words = now.words[t];
        double least = std::max(now.slowest[t], now.moving[t]);
        if (more != nullptr) {
            busy += more->busy[t];
            words += more->words[t];
            least = std::max(least, more->slowest[t]);
        }
        if (rest != nullptr) {
            busy += rest->busy[t];
            words += rest->words[t];
        }
        all += std::max({least, busy * of_core_, words * of_word_});
    }
    return all;
}

// Sources whose words are still to be chosen, or come with stages that are; those that would cost the cut are kept.
SlotFloors::Choices SlotFloors::choices(const Places& places, int decided, double cut) const {
    Choices all;
    const int placed = static_cast<int>(places.offsets.size());
    for (int stage = 0; stage < placed; ++stage)
        for (const Source& source : stages_[stage].sources) {
            const bool is_open = stage >= decided;
            const bool may_stream = (least_words_ + source.extra) * of_word_ < cut;
            if (is_open && may_stream && all.open.size() == kMostChoices) {
                all.left_out += sum(source.first.kept);
                continue;
            }
            if (is_open) all.firsts.push_back(&source);
            if (is_open && may_stream) all.open.push_back(&source.first);
            const int second = source.second.stage;
            if (second < decided || second >= placed || all.open.size() == kMostChoices) continue;
            if (!(is_open ? may_stream : source.first.is_streamed(places))) continue;
            all.seconds.push_back(&source);
            all.open.push_back(&source.second);
        }
    return all;
}

// `places`: of those stages that are placed; streams of those to come are chosen here. What is not placed counts in
// sum.
void SlotFloors::add_rest(Places places, const Slots& now, int decided, double cut, bool least_alone,
                          std::vector<Rest>& all) const {
    Rest one{std::vector<double>(slots_, 0.0), std::vector<double>(slots_, 0.0)};
    const int placed = static_cast<int>(places.offsets.size());
    for (int stage = decided; stage < placed; ++stage) {
        add(stages_[stage].busy, places.offsets[stage], one.busy);
        add(stages_[stage].out, places.offsets[stage] + places.lags[stage] - 1, one.words);
    }
    const std::vector<double> out = one.words;
    const Choices chosen = choices(places, decided, cut);
    double left_words = chosen.left_out;
    double left_busy = 0.0;
    for (int stage = placed; stage < way_.stages(); ++stage) {
        left_busy += sum(stages_[stage].busy);
        left_words += sum(stages_[stage].out);
        for (const Source& source : stages_[stage].sources) left_words += sum(source.first.kept);
    }
    for (std::size_t mask = 0; mask < std::size_t{1} << chosen.open.size(); ++mask) {
        throw_if_stopped(stop_);
        one.words = out;
        for (std::size_t i = 0; i < chosen.open.size(); ++i) {
            std::uint32_t& streamed = places.streamed[chosen.open[i]->stage];
            streamed =
                (mask >> i & 1U) != 0 ? streamed | chosen.open[i]->operands : streamed & ~chosen.open[i]->operands;
        }
        for (const Source* source : chosen.firsts) add_first(places, *source, one.words);
        for (const Source* source : chosen.seconds) add_second(places, *source, one.words);
        one.cycles = cycles(now, nullptr, &one, cut);
        if (left_words > 0.0 || left_busy > 0.0)
            one.cycles = std::max({one.cycles, (left_words + sum(now.words) + sum(one.words)) * of_word_,
                                   (left_busy + sum(now.busy) + sum(one.busy)) * of_core_});
        if (one.cycles >= cut) continue;
        if (least_alone) {
            all.clear();
            cut = one.cycles;
        }
        all.push_back(one);
    }
}

// Of one step, each stage reading the one before, late slots have nothing that earlier ones could not take as well.
std::vector<Rest> SlotFloors::behind(const Places& places, const Slots& now, double cut, bool least_alone) const {
    const int decided = static_cast<int>(places.offsets.size());
    const bool is_early = way_.frame.serial;
    const int open = is_early ? way_.stages() - decided : std::min(way_.stages() - decided, kMostAhead);
    std::vector<Rest> all;
    for (std::size_t late = 0; late < std::size_t{1} << (is_early || open < 2 ? 0 : open - 1); ++late) {
        Places whole = places;
        for (int i = 0; i < open; ++i) place(whole, (late >> i & 1U) != 0 ? 2 : 1, 0);
        add_rest(std::move(whole), now, decided, least_alone && !all.empty() ? all.front().cycles : cut, least_alone,
                 all);
    }
    std::ranges::sort(all, {}, &Rest::cycles);
    return all;
}

}  // namespace tilewright::multicore
