#include "report/views/parts.hpp"

#include <algorithm>
#include <set>

#include "report/plot/canvas.hpp"

namespace tilewright::views {
namespace {

// Operands in turn, results third: plot::known_colour's.
const std::vector<std::string>& tensor_colours() {
    static const std::vector<std::string> kTensors{plot::known_colour("operand 1"),
                                                   plot::known_colour("operand 2"),
                                                   plot::known_colour("result"),
                                                   plot::known_colour("operand 3"),
                                                   "#6fae3c",
                                                   "#63b3dd",
                                                   "#b5533c"};
    return kTensors;
}
constexpr std::size_t kResult = 2;

bool begins_with(const std::string& text, const std::string& with) { return text.rfind(with, 0) == 0; }

// A fan-out has no storage, but wires below it.
bool costs_energy(const Run& run, const std::string& memory) {
    for (const Layer& layer : run.layers)
        if (layer.costs)
            for (const MemoryCosts& costs : layer.costs->memories)
                if (costs.memory == memory && costs.energy_pj() > 0.0) return true;
    return false;
}

}  // namespace

Palette::Palette(const std::vector<Run>& runs) {
    add_memories(runs);
    for (const Run& run : runs)
        for (const Layer& layer : run.layers) add_tensors(layer);
}

namespace {

// Of this run, outermost first, without those of earlier runs.
std::vector<std::string> new_memories(const Run& run, std::vector<std::string>& known) {
    std::vector<std::string> names;
    for (const RunMemory& memory : run.memories) {
        if (memory.spreads_only && !costs_energy(run, memory.name)) continue;
        if (std::ranges::find(known, memory.name) != known.end()) continue;
        names.push_back(memory.name);
        known.push_back(memory.name);
    }
    return names;
}

double place_of(std::size_t i, std::size_t count) {
    return count < 2 ? 0.0 : static_cast<double>(i) / static_cast<double>(count - 1);
}

}  // namespace

// The first run's memories are one family, those of later runs only another.
void Palette::add_memories(const std::vector<Run>& runs) {
    std::vector<std::string> known;
    std::vector<std::string> others;
    for (std::size_t r = 0; r < runs.size(); ++r) {
        const std::vector<std::string> names = new_memories(runs[r], known);
        if (r > 0) others.insert(others.end(), names.begin(), names.end());
        for (std::size_t i = 0; r == 0 && i < names.size(); ++i)
            entries_.emplace_back(names[i], plot::ramp_colour(place_of(i, names.size())));
    }
    for (std::size_t i = 0; i < others.size(); ++i)
        entries_.emplace_back(others[i], plot::other_ramp_colour(place_of(i, others.size())));
}

void Palette::add_tensors(const Layer& layer) {
    std::size_t operand = 0;
    for (const document::Tensor& tensor : layer.tensors) {
        const std::size_t place = tensor.written ? kResult : operand++;
        if (!colour(tensor.name).empty()) continue;
        const std::size_t preferred = tensor.written || place < kResult ? place : place + 1;
        entries_.emplace_back(tensor.name, free_colour(layer, preferred));
    }
}

// A tensor's place decides its colour, unless taken by another tensor of the layer.
std::string Palette::free_colour(const Layer& layer, std::size_t preferred) const {
    std::set<std::string> taken;
    for (const document::Tensor& tensor : layer.tensors) taken.insert(colour(tensor.name));
    const std::vector<std::string>& colours = tensor_colours();
    for (std::size_t i = 0; i < colours.size(); ++i) {
        const std::string& candidate = colours[(preferred + i) % colours.size()];
        if (!taken.contains(candidate)) return candidate;
    }
    return plot::colour_of(entries_.size());
}

std::string Palette::colour(const std::string& name) const {
    for (const auto& [known, colour] : entries_)
        if (known == name) return colour;
    if (std::string known = plot::known_colour(name); !known.empty()) return known;
    constexpr const char* kWaiting = "waiting for ";
    if (begins_with(name, kWaiting)) {
        const std::string rest = name.substr(std::string(kWaiting).size());
        return colour(rest.substr(0, rest.find(" (")));
    }
    constexpr const char* kWires = " on wires";
    if (name.size() > 9 && name.ends_with(kWires)) {
        const std::string of = colour(name.substr(0, name.size() - 9));
        return of.empty() ? "" : plot::tint(of);
    }
    return "";
}

std::vector<plot::Part> coloured(std::vector<plot::Part> parts, const Palette& palette) {
    std::set<std::string> used;
    for (plot::Part& part : parts) {
        part.colour = palette.colour(part.name);
        if (!part.colour.empty() && !used.insert(part.colour).second) part.colour.clear();
    }
    std::size_t next = 0;
    for (plot::Part& part : parts)
        while (part.colour.empty())
            if (const std::string free = plot::colour_of(next++); used.insert(free).second) part.colour = free;
    return parts;
}

}  // namespace tilewright::views
