#include "certificate/codesign/machines.hpp"

#include <algorithm>

namespace tilewright::certificate {
namespace {

std::size_t combinations(const std::vector<MachineKnob>& knobs, const std::vector<std::size_t>& of) {
    constexpr std::size_t kMost = 10'000'000;
    std::size_t all = 1;
    for (const std::size_t knob : of) all = std::min(kMost, all * knobs[knob].values.size());
    return all;
}

bool names_knobs(const std::vector<MachineKnob>& knobs, const std::vector<std::size_t>& of) {
    return std::ranges::all_of(of, [&](std::size_t knob) { return knob < knobs.size(); });
}

template <class Value>
bool is_full(const std::vector<MachineKnob>& knobs, const PartTable<Value>& table) {
    return names_knobs(knobs, table.knobs) && table.values.size() == combinations(knobs, table.knobs);
}

bool are_meshes(const LevelMeshes& meshes) {
    for (std::size_t level = 0; level < meshes.size(); ++level) {
        if (meshes[level].x < 1 || meshes[level].y < 1) return false;
        if (level > 0 && (meshes[level].x % meshes[level - 1].x != 0 || meshes[level].y % meshes[level - 1].y != 0))
            return false;
    }
    return true;
}

std::string problem_with_form(const MachineSpace& space, const MachineForm& form) {
    const std::size_t memories = form.base.memories.size();
    if (form.decided.size() != space.deciding.size()) return "a form does not say every knob that decides it";
    if (form.memories.size() != memories) return "a form does not say every memory";
    for (const PartTable<Memory>& memory : form.memories)
        if (!is_full(space.knobs, memory)) return "the table of a memory is not full";
    if (!is_full(space.knobs, form.compute)) return "the table of the compute units is not full";
    if (!is_full(space.knobs, form.meshes)) return "the table of the meshes is not full";
    for (const LevelMeshes& meshes : form.meshes.values)
        if (meshes.size() != memories + 1 || !are_meshes(meshes)) return "meshes that are none";
    if (form.layers.empty()) return "a form maps no layer";
    return "";
}

// Index of these positions' form in a full list.
std::size_t form_index(const MachineSpace& space, const KnobPositions& decided) {
    std::size_t index = 0;
    for (std::size_t i = 0; i < decided.size(); ++i)
        index = index * space.knobs[space.deciding[i]].values.size() + static_cast<std::size_t>(decided[i]);
    return index;
}

}  // namespace

std::string problem_with(const MachineSpace& space) {
    for (const MachineKnob& knob : space.knobs)
        if (knob.values.empty()) return "a knob without values";
    if (!names_knobs(space.knobs, space.deciding)) return "a deciding knob that is none";
    if (space.forms.size() != combinations(space.knobs, space.deciding))
        return "not every combination of the knobs that decide forms has one";
    for (std::size_t i = 0; i < space.forms.size(); ++i) {
        const MachineForm& form = space.forms[i];
        if (const std::string problem = problem_with_form(space, form); !problem.empty()) return problem;
        for (std::size_t k = 0; k < form.decided.size(); ++k)
            if (form.decided[k] < 0 ||
                form.decided[k] >= static_cast<std::int64_t>(space.knobs[space.deciding[k]].values.size()))
                return "a form of values that a knob does not have";
        if (form_index(space, form.decided) != i) return "forms that are not in order";
    }
    return "";
}

MachineBox whole_box(const MachineSpace& space) {
    MachineBox box;
    for (const MachineKnob& knob : space.knobs) box.push_back({0, static_cast<std::int64_t>(knob.values.size())});
    return box;
}

bool is_one_machine(const MachineBox& box) {
    return std::ranges::all_of(box, [](const KnobRange& range) { return range.high - range.low == 1; });
}

const MachineForm* form_of(const MachineSpace& space, const MachineBox& box) {
    KnobPositions decided;
    for (const std::size_t knob : space.deciding) {
        if (box[knob].high - box[knob].low != 1) return nullptr;
        decided.push_back(box[knob].low);
    }
    return &space.forms[form_index(space, decided)];
}

std::size_t index_in(const std::vector<MachineKnob>& knobs, const std::vector<std::size_t>& of,
                     const KnobPositions& positions) {
    std::size_t index = 0;
    for (const std::size_t knob : of)
        index = index * knobs[knob].values.size() + static_cast<std::size_t>(positions[knob]);
    return index;
}

void for_each_index(const std::vector<MachineKnob>& knobs, const std::vector<std::size_t>& of, const MachineBox& box,
                    const std::function<void(std::size_t)>& visit) {
    KnobPositions positions;
    for (const KnobRange& range : box) positions.push_back(range.low);
    while (true) {
        visit(index_in(knobs, of, positions));
        std::size_t at = of.size();
        while (at > 0 && ++positions[of[at - 1]] == box[of[at - 1]].high) {
            positions[of[at - 1]] = box[of[at - 1]].low;
            --at;
        }
        if (at == 0) return;
    }
}

void set_meshes(Architecture& machine, const LevelMeshes& meshes) {
    for (std::size_t level = 0; level < machine.memories.size(); ++level) {
        machine.memories[level].mesh = meshes[level];
        machine.memories[level].instances = meshes[level].size();
    }
    machine.compute.mesh = meshes.back();
    machine.compute.instances = meshes.back().size();
}

Architecture machine_at(const MachineSpace& space, const MachineForm& form, const KnobPositions& positions) {
    Architecture machine = form.base;
    for (std::size_t i = 0; i < form.memories.size(); ++i)
        machine.memories[i] = form.memories[i].values[index_in(space.knobs, form.memories[i].knobs, positions)];
    machine.compute = form.compute.values[index_in(space.knobs, form.compute.knobs, positions)];
    set_meshes(machine, form.meshes.values[index_in(space.knobs, form.meshes.knobs, positions)]);
    return machine;
}

}  // namespace tilewright::certificate
