#include "run/word_blocks/word_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "base/numbers/number_text.hpp"
#include "mapping/tile.hpp"
#include "model/exact/blocks.hpp"
#include "workload/select_layers.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t kMostParts = 1'000'000;
constexpr int kMostSearches = 8;  ///< of a layer, in smaller memories each time

bool has_blocks(const BlockFormats& formats) {
    return std::ranges::any_of(formats, [](const BlockFormat& one) { return one.is_given(); });
}

void put_usable_words(Memory& memory, std::int64_t words) {
    memory.capacity_words = words;
    memory.multiple_buffering = 1.0;
}

// By how much the words that move are wider than the narrowest tile's, at most.
double widening(const std::vector<WordBits>& moved, const std::vector<WordBits>& least) {
    double most = 1.0;
    for (std::size_t t = 0; t < moved.size(); ++t)
        if (moved[t] != least[t]) most = std::max(most, moved[t].each() / least[t].each());
    return most;
}

// With so much more room that no mapping is lost for tiles whose scales take less than in proportion. Tiles without
// scales have their room exactly.
Architecture widened(Architecture architecture, double factor) {
    if (factor <= 1.0) return architecture;
    for (Memory& memory : architecture.memories)
        if (const std::optional<std::int64_t> usable = memory.usable_words(); usable && memory.holds_scales)
            put_usable_words(memory, static_cast<std::int64_t>(std::ceil(static_cast<double>(*usable) * factor)) + 1);
    return architecture;
}

// A memory that has to be filled to some extent may refuse what holds less in proportion than with whole scales.
bool keeps_every_mapping(const Architecture& architecture) {
    return std::ranges::all_of(architecture.memories, [](const Memory& one) { return one.min_utilization <= 0.0; });
}

// Layers with a mark for each width and format in place of bits: of one shape are those whose words are alike.
Network marked(Network network, const std::vector<BlockFormats>& formats) {
    std::vector<std::pair<std::int64_t, BlockFormat>> known;
    for (std::size_t i = 0; i < network.layers.size(); ++i) {
        Einsum& einsum = network.layers[i].einsum;
        for (std::size_t t = 0; t < einsum.tensors.size(); ++t) {
            const auto at = std::ranges::find(known, std::pair{einsum.tensors[t].bits, formats[i][t]});
            const auto mark = at - known.begin();
            if (at == known.end()) known.emplace_back(einsum.tensors[t].bits, formats[i][t]);
            einsum.tensors[t].bits = mark;
        }
    }
    return network;
}

// Of all layers together; nothing where they would be too many.
std::optional<std::int64_t> common_parts(const std::vector<std::vector<WordBits>>& moved) {
    std::int64_t parts = 1;
    for (const std::vector<WordBits>& of_layer : moved) {
        parts = std::lcm(parts, parts_of_bit(of_layer));
        if (parts > kMostParts) return std::nullopt;
    }
    return parts;
}

// One shape: what was found, made exact.
class BlockAnswer {
   public:
    BlockAnswer(const BlockSearch& blocks, std::size_t shape, const Objective& objective)
        : problem_(blocks.problem.shapes[shape].layer),
          searched_(blocks.searched.shapes[shape]),
          formats_(blocks.formats[shape]),
          objective_(objective) {}

    const ShapeProblem& next() const { return searched_; }
    LayerAnswer take() { return std::move(answer_); }

    // True: another search is worth its time.
    bool settle(const LayerAnswer& found) {
        if (++searches_ == 1) {
            first_ = found.search;
            bound_ = bound_of(found);
        }
        answer_ = found;
        answer_.einsum = problem_.einsum;
        answer_.evaluation.reset();
        if (!found.mapping) return lose(found);
        const std::vector<Violation> violations =
            check_blocks(problem_.einsum, problem_.architecture, *found.mapping, formats_);
        if (violations.empty()) return win(found);
        answer_.mapping.reset();
        answer_.search.reset();
        answer_.failures.clear();
        for (const Violation& one : violations)
            answer_.failures.push_back(one.message + " [" + violation_kind_name(one.kind) + "]");
        return searches_ < kMostSearches && shrink(*found.mapping);
    }

   private:
    // Of all mappings: the first search's.
    std::optional<double> bound_of(const LayerAnswer& first) const {
        if (!first.search || !keeps_every_mapping(problem_.architecture)) return std::nullopt;
        if (first.search->proven && first.evaluation) return score_of(*first.evaluation);
        return first.search->lower_bound;
    }

    double score_of(const Evaluation& evaluation) const {
        return objective_.score(evaluation.energy_pj, evaluation.cycles).value;
    }

    bool win(const LayerAnswer& found) {
        answer_.evaluation =
            evaluate_blocks(problem_.einsum, problem_.architecture, without_options(*found.mapping), formats_);
        if (!answer_.search || (searches_ == 1 && keeps_every_mapping(problem_.architecture))) return false;
        answer_.search->proven = is_as_good_as_the_first(*found.evaluation);
        answer_.search->lower_bound = bound_;
        answer_.search->claim = answer_.search->proven ? first_->claim : claim();
        return false;
    }

    // Which was proven the best; of equally fast ones it says more than that nothing is faster.
    bool is_as_good_as_the_first(const Evaluation& searched) const {
        return bound_ && first_ && first_->proven && objective_.kind != ObjectiveKind::latency &&
               score_of(searched) <= *bound_;
    }

    bool lose(const LayerAnswer& found) {
        if (searches_ == 1) {
            for (const Memory& memory : problem_.architecture.memories) add_no_room(memory);
            return false;
        }
        answer_.failures = found.failures;
        answer_.failures.emplace_back("the mappings that were found have no room for whole scales");
        return false;
    }

    // Of a memory that has no room for one word and its scale.
    void add_no_room(const Memory& memory) {
        const std::optional<std::int64_t> usable = memory.usable_words();
        if (!usable || memory.spreads_only || !memory.holds_scales) return;
        for (std::size_t t = 0; t < formats_.size(); ++t) {
            const Tensor& tensor = problem_.einsum.tensors[t];
            if (!formats_[t].is_given() || *usable * memory.word_bits >= tensor.bits + formats_[t].scale_bits) continue;
            answer_.failures.push_back(
                fmt::format("{}: no room for a word of '{}' and its scale; holds_scales=false lets scales pass it by",
                            memory.name, tensor.name));
        }
    }

    std::string claim() const {
        const std::string how = searches_ == 1 ? "found as if scales took room in proportion"
                                               : "found in smaller memories, as the best with scales in proportion has "
                                                 "no room for whole ones";
        const double value = score_of(*answer_.evaluation);
        if (!bound_ || !(value > 0.0)) return how + "; nothing says how far it is from the best";
        return fmt::format("{}; within {} of the optimum", how, share_text(std::max(0.0, 1.0 - *bound_ / value)));
    }

    static Mapping without_options(Mapping mapping) {
        mapping.options.clear();
        return mapping;
    }

    // Every memory that is too small by so much that what was found has no room in it any more.
    bool shrink(const Mapping& mapping) {
        const Evaluation counted =
            evaluate_blocks(problem_.einsum, problem_.architecture, without_options(mapping), formats_);
        const std::vector<WordBits> moved = moved_bits(problem_.einsum, formats_);
        for (std::size_t m = 0; m < counted.memories.size(); ++m) {
            const std::optional<std::int64_t> usable = problem_.architecture.memories[m].usable_words();
            if (!usable || counted.memories[m].used_words <= *usable) continue;
            Memory& memory = searched_.layer.architecture.memories[m];
            double bits = 0.0;  // in proportion
            for (std::size_t t = 0; t < moved.size(); ++t)
                bits += static_cast<double>(counted.memories[m].tensors[t].tile_words) *
                        (moved[t].bits > 0 ? moved[t].each()
                                           : static_cast<double>(problem_.architecture.memories[m].word_bits));
            const double words = bits / static_cast<double>(problem_.architecture.memories[m].word_bits);
            const double less =
                words * static_cast<double>(*usable) / static_cast<double>(counted.memories[m].used_words);
            put_usable_words(memory,
                             std::min(static_cast<std::int64_t>(less), memory.usable_words().value_or(*usable) - 1));
            if (*memory.capacity_words < 1) return false;
        }
        return true;
    }

    const LayerProblem& problem_;
    ShapeProblem searched_;
    const BlockFormats& formats_;
    const Objective& objective_;
    LayerAnswer answer_;
    std::optional<SearchSummary> first_;
    std::optional<double> bound_;
    int searches_ = 0;
};

}  // namespace

void set_blocks(const Network& network, const std::vector<TensorWidth>& widths, std::vector<BlockFormats>& formats) {
    if (formats.empty())
        for (const Layer& layer : network.layers) formats.emplace_back(layer.einsum.tensors.size());
    for (const TensorWidth& width : widths) {
        const std::vector<bool> matching = matching_layers(network, {width.layers});
        for (std::size_t i = 0; i < matching.size(); ++i) {
            const int tensor = find_tensor(network.layers[i].einsum, width.tensor);
            if (matching[i] && tensor >= 0) formats[i][tensor] = width.blocks;
        }
    }
    if (std::ranges::none_of(formats, has_blocks)) formats.clear();
}

std::vector<BlockFormats> block_formats(const Network& network, const std::vector<TensorWidth>& widths) {
    std::vector<BlockFormats> formats;
    set_blocks(network, widths, formats);
    return formats;
}

std::vector<std::string> block_notes(const Network& network, const std::vector<BlockFormats>& formats) {
    std::vector<std::pair<std::string, int>> notes;  // and of how many layers
    for (std::size_t i = 0; i < formats.size(); ++i)
        for (std::size_t t = 0; t < formats[i].size(); ++t) {
            if (!formats[i][t].is_given()) continue;
            const Tensor& tensor = network.layers[i].einsum.tensors[t];
            const std::string note =
                fmt::format("words of '{}' have {} bits, and a scale of {} for every {} along their innermost axis",
                            tensor.name, tensor.bits, formats[i][t].scale_bits, formats[i][t].words);
            const auto known = std::ranges::find(notes, note, &std::pair<std::string, int>::first);
            if (known == notes.end())
                notes.emplace_back(note, 1);
            else
                ++known->second;
        }
    std::vector<std::string> texts;
    for (const auto& [note, layers] : notes)
        texts.push_back(fmt::format("{} ({} {})", note, layers, layers == 1 ? "layer" : "layers"));
    return texts;
}

report::LayerResult evaluate_layer_in_blocks(const Layer& layer, const Architecture& architecture,
                                             const Mapping& mapping, const BlockFormats& formats,
                                             const MappingPlaces& places) {
    report::LayerResult result = report::unmapped(layer);
    result.mapping = mapping;
    for (const Violation& one : check_blocks(layer.einsum, architecture, mapping, formats))
        result.failures.push_back(placed_text(one, places) + " [" + violation_kind_name(one.kind) + "]");
    if (!result.failures.empty()) return result;
    Mapping plain = mapping;
    plain.options.clear();
    result.evaluation = evaluate_blocks(layer.einsum, architecture, plain, formats);
    return result;
}

BlockSearch block_search(const Network& network, const Architecture& architecture,
                         const std::vector<BlockFormats>& formats, const ConstraintsOf& constraints) {
    BlockSearch blocks;
    const Network alike = marked(network, formats);
    blocks.problem = network_problem(alike, architecture, constraints);
    const std::vector<DistinctLayer> shapes = distinct_layers(alike);
    std::vector<std::vector<WordBits>> moved;
    double factor = 1.0;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        const int layer = shapes[i].layers.front();
        const Einsum& einsum = network.layers[layer].einsum;
        blocks.problem.shapes[i].layer.einsum = einsum;
        blocks.formats.push_back(formats[layer]);
        moved.push_back(moved_bits(einsum, formats[layer]));
        factor = std::max(factor, widening(moved.back(), least_bits(einsum, formats[layer])));
    }
    const Architecture wide = widened(architecture, factor);
    const std::optional<std::int64_t> common = common_parts(moved);
    if (common) blocks.machine = in_parts(wide, *common);
    blocks.searched = blocks.problem;
    for (std::size_t i = 0; i < moved.size(); ++i) {
        LayerProblem& layer = blocks.searched.shapes[i].layer;
        const std::int64_t parts = common ? *common : parts_of_bit(moved[i]);
        layer.einsum = in_parts(layer.einsum, moved[i], parts);
        layer.architecture = common ? *blocks.machine : in_parts(wide, parts);
    }
    return blocks;
}

NetworkAnswer map_blocks(const BlockSearch& blocks, const Objective& objective,
                         const std::function<NetworkAnswer(const NetworkProblem&)>& search) {
    std::vector<BlockAnswer> answers;
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < blocks.searched.shapes.size(); ++i) {
        answers.emplace_back(blocks, i, objective);
        left.push_back(i);
    }
    NetworkAnswer all;
    while (!left.empty() && !all.interrupted) {
        NetworkProblem round;
        round.name = blocks.searched.name;
        for (const std::size_t i : left) round.shapes.push_back(answers[i].next());
        const NetworkAnswer found = search(round);
        all.interrupted = found.interrupted;
        std::vector<std::size_t> again;
        for (std::size_t k = 0; k < left.size(); ++k)
            if (answers[left[k]].settle(found.layers[k])) again.push_back(left[k]);
        left = again;
    }
    for (BlockAnswer& answer : answers) all.layers.push_back(answer.take());
    return all;
}

}  // namespace tilewright
