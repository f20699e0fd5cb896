#include "step_walk.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace tilewright::property {
namespace {

using Word = std::vector<std::int64_t>;
using Words = std::set<Word>;
/// What somebody asks for in one step: one set of words, or those that others ask for through it. Sorted.
using Request = std::vector<Words>;
/// An instance: by block outside it, its number among the neighbours that exist.
using Place = std::vector<int>;

/// By rank: first and last word.
using Box = std::vector<std::pair<std::int64_t, std::int64_t>>;

struct RunningLoop {
    Loop loop;
    std::int64_t skips = 1;  ///< iterations of the dimension, per step
    std::int64_t index = 0;  ///< the step it is at
};

/// What an instance that keeps the tensor has of it.
struct Held {
    Box box;
    std::optional<Word> way;  ///< the move over which it was last reused
    bool any = false;
};

/// One tensor from a memory that keeps it to the next one inside that does, or to the compute units.
class Flow {
   public:
    Flow(const Nest& nest, int tensor, int outside, int inside)
        : einsum_(nest.einsum), tensor_(nest.einsum.tensors[tensor]), outside_(outside), inside_(inside) {
        const int memories = nest.architecture.memory_count();
        for (const MappingLevel& level : levels_of(nest.mapping, memories)) {
            for (const Loop& loop : level.temporal) loops_.push_back({loop});
            spatial_.push_back(loops_.size());
            for (const Loop& loop : level.spatial) loops_.push_back({loop});
            end_.push_back(loops_.size());
        }
        std::vector<std::int64_t> covered(einsum_.dimensions.size(), 1);
        for (std::size_t k = loops_.size(); k-- > 0;) {
            loops_[k].skips = covered[loops_[k].loop.dimension];
            covered[loops_[k].loop.dimension] *= loops_[k].loop.extent;
        }
        units_ = inside == memories;
    }

    void run() {
        std::vector<RunningLoop*> clock;  // temporal loops outside those who ask, outermost first
        for (std::size_t k = 0; k < end_[inside_ - 1]; ++k)
            if (!loops_[k].loop.is_spatial()) clock.push_back(&loops_[k]);
        bool running = true;
        while (running) {
            ask(0, {});
            running = false;
            for (std::size_t k = clock.size(); k-- > 0 && !running;) {
                running = ++clock[k]->index < clock[k]->loop.extent;
                if (!running) clock[k]->index = 0;
            }
        }
    }

    std::int64_t sent = 0;
    std::int64_t copies = 0;
    std::map<int, std::int64_t> passed;  ///< by level
    std::int64_t arrived = 0;            ///< copies at those who ask
    std::map<Place, Words> held_ever;    ///< by instance inside
    std::map<Place, Words> asked_ever;   ///< by instance outside
    std::set<std::pair<std::int64_t, std::int64_t>>
        shares;  ///< copies for each word of an instance in a step, as a quotient

   private:
    std::int64_t first(int dimension, std::size_t loops) const {
        std::int64_t at = 0;
        for (std::size_t k = 0; k < loops; ++k)
            if (loops_[k].loop.dimension == dimension) at += loops_[k].index * loops_[k].skips;
        return at;
    }

    /// The loops before `loops` are at iterations that there are.
    bool exists(std::size_t loops) const {
        for (int d = 0; d < einsum_.dimension_count(); ++d)
            if (first(d, loops) >= einsum_.dimensions[d].extent) return false;
        return true;
    }

    /// What the instance of memory `level` at this place asks for in this step.
    Request ask(int level, const Place& place) {
        if (level == inside_) return units_ ? unit(place) : receive(place);
        if (!exists(spatial_[level])) return {};
        std::vector<Request> below;
        int number = 0;
        neighbours(level, spatial_[level], place, number, below);
        return level >= outside_ ? together(below, level) : Request{};
    }

    void neighbours(int level, std::size_t loop, const Place& place, int& number, std::vector<Request>& below) {
        if (loop == end_[level]) {
            if (!exists(loop)) return;
            Place inner = place;
            inner.push_back(number++);
            below.push_back(ask(level + 1, inner));
            return;
        }
        for (std::int64_t& index = loops_[loop].index; index < loops_[loop].loop.extent; ++index)
            neighbours(level, loop + 1, place, number, below);
        loops_[loop].index = 0;
    }

    /// Neighbours that ask for the same share it.
    Request together(const std::vector<Request>& below, int level) {
        std::set<Request> different;
        std::int64_t all = 0;
        std::int64_t once = 0;
        for (const Request& request : below) {
            std::int64_t words = 0;
            for (const Words& set : request) words += static_cast<std::int64_t>(set.size());
            all += words;
            if (words > 0 && different.insert(request).second) once += words;
        }
        if (once > 0 && level + 1 < inside_) shares.insert({all / std::gcd(all, once), once / std::gcd(all, once)});
        passed[level] += once;
        if (level == outside_) {
            sent += once;
            copies += all;
        }
        Request request;
        for (const Request& one : different) request.insert(request.end(), one.begin(), one.end());
        std::sort(request.begin(), request.end());
        return request;
    }

    static Words words_of(const Box& box) {
        Words words{Word{}};
        for (const auto& [low, high] : box) {
            Words longer;
            for (const Word& word : words)
                for (std::int64_t at = low; at <= high; ++at) {
                    Word next = word;
                    next.push_back(at);
                    longer.insert(std::move(next));
                }
            words = std::move(longer);
        }
        return words;
    }

    /// What the loops inside touch.
    Box box() const {
        Box box;
        const std::size_t outside = end_[inside_ - 1];
        for (const Rank& rank : tensor_.ranks) {
            std::int64_t low = 0;
            std::int64_t high = 0;
            for (const Term& term : rank.terms) {
                std::int64_t inside = 1;
                for (std::size_t k = outside; k < loops_.size(); ++k)
                    if (loops_[k].loop.dimension == term.dimension) inside *= loops_[k].loop.extent;
                const std::int64_t from = first(term.dimension, outside);
                const std::int64_t to = std::min(from + inside, einsum_.dimensions[term.dimension].extent) - 1;
                low += std::min(term.coefficient * from, term.coefficient * to);
                high += std::max(term.coefficient * from, term.coefficient * to);
            }
            box.emplace_back(low, high);
        }
        return box;
    }

    void note(const Place& place, const Words& words) {
        const Place outside(place.begin(), place.begin() + outside_);
        asked_ever[outside].insert(words.begin(), words.end());
    }

    Request unit(const Place& place) {
        const Words word = words_of(box());
        note(place, word);
        ++arrived;
        return {word};
    }

    /// Rule 2.
    Request receive(const Place& place) {
        const Box tile = box();
        Held& held = held_[place];
        Words lacks = words_of(tile);
        note(place, lacks);
        held_ever[place].insert(lacks.begin(), lacks.end());
        if (held.any) {
            Word way;
            for (std::size_t r = 0; r < tile.size(); ++r) {
                const std::int64_t twice = tile[r].first + tile[r].second - held.box[r].first - held.box[r].second;
                way.push_back(twice < 0 ? -((1 - twice) / 2) : (twice + 1) / 2);
            }
            const bool moves = std::any_of(way.begin(), way.end(), [](std::int64_t by) { return by != 0; });
            if (moves && held.way && *held.way != way) {
                held.way.reset();
            } else {
                if (moves) held.way = way;
                for (const Word& word : words_of(held.box)) lacks.erase(word);
            }
        }
        held.any = true;
        held.box = tile;
        arrived += static_cast<std::int64_t>(lacks.size());
        if (lacks.empty()) return {};
        return {lacks};
    }

    const Einsum& einsum_;
    const Tensor& tensor_;
    const int outside_;
    const int inside_;
    bool units_ = false;
    std::vector<RunningLoop> loops_;    ///< outermost first
    std::vector<std::size_t> spatial_;  ///< by memory: its first spatial loop, and where its loops end
    std::vector<std::size_t> end_;
    std::map<Place, Held> held_;
};

std::int64_t all_words(const std::map<Place, Words>& by_place) {
    std::int64_t words = 0;
    for (const auto& [place, some] : by_place) words += static_cast<std::int64_t>(some.size());
    return words;
}

bool fans_out(const std::vector<MappingLevel>& levels, int begin, int end) {
    return std::any_of(levels.begin() + begin, levels.begin() + end,
                       [](const MappingLevel& level) { return !level.spatial.empty(); });
}

}  // namespace

StepWalk walk_steps(const Nest& nest) {
    const int memories = nest.architecture.memory_count();
    const std::vector<MappingLevel> levels = levels_of(nest.mapping, memories);
    StepWalk walk;
    walk.counts.assign(levels.size(), std::vector<StepCounts>(nest.einsum.tensors.size()));
    for (int t = 0; t < nest.einsum.tensor_count(); ++t) {
        const bool written = nest.einsum.tensors[t].written;
        int inside = memories;
        for (int m = memories; m-- > 0;) {
            if (!levels[m].keep.has(t)) continue;
            Flow flow(nest, t, m, inside);
            flow.run();
            StepCounts& here = walk.counts[m][t];
            here.sent = flow.sent;
            here.copies = flow.copies;
            for (const auto& [level, words] : flow.passed) walk.counts[level][t].passed = words;
            here.updates = written ? flow.sent : 0;
            here.reads = flow.sent - (written ? all_words(flow.asked_ever) : 0);
            if (inside < memories)
                walk.counts[inside][t].fills = flow.arrived - (written ? all_words(flow.held_ever) : 0);
            const bool passes = inside > m + 1 && fans_out(levels, m, inside - 1);
            walk.passes = walk.passes || passes;
            walk.uneven = walk.uneven || (passes && flow.shares.size() > 1);
            inside = m;
        }
    }
    return walk;
}

}  // namespace tilewright::property
