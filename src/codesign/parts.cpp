#include "codesign/parts.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "base/numbers/random.hpp"

namespace tilewright::codesign {
namespace {

constexpr double kMm2 = 1e-6;             // of a square micrometre
constexpr double kRounding = 1.0 - 1e-9;  // sums in another order differ in the last bits

bool has_part(const Role& role, std::size_t part) { return (role.parts >> part & 1U) != 0; }

/// The parts of a machine without its meshes.
Memory without_mesh(Memory memory) {
    memory.mesh = {};
    memory.instances = 1;
    return memory;
}

Compute without_mesh(Compute compute) {
    compute.mesh = {};
    compute.instances = 1;
    return compute;
}

void set_mesh(Architecture& machine, const Meshes& meshes) {
    for (std::size_t level = 0; level < machine.memories.size(); ++level) {
        machine.memories[level].mesh = meshes[level];
        machine.memories[level].instances = meshes[level].size();
    }
    machine.compute.mesh = meshes.back();
    machine.compute.instances = meshes.back().size();
}

/// Of parts with these areas per instance.
double area_of(const std::vector<double>& areas_um2, const std::vector<std::int64_t>& instances) {
    double area = 0.0;
    for (std::size_t part = 0; part < areas_um2.size(); ++part)
        area += areas_um2[part] * static_cast<double>(instances[part]);
    return area;
}

std::vector<std::int64_t> sizes(const Meshes& meshes) {
    std::vector<std::int64_t> all;
    for (const Mesh& mesh : meshes) all.push_back(mesh.size());
    return all;
}

[[noreturn]] void refuse(const explore::Space& space, explore::Point point, const std::string& why) {
    throw InputError(ErrorCode::unsupported, {}, why + " (" + point_text(space, point) + ")");
}

}  // namespace

bool AreaLimit::allows(double area_um2) const { return !most_mm2 || area_um2 * kMm2 * kRounding <= *most_mm2; }

Parts::Parts(const explore::Space& space, const std::vector<Role>& roles, const MachineAt& machine_at, const Box& box)
    : space_(space), roles_(roles), machine_at_(machine_at) {
    first_ = machine(positions_of(first_point(box, space)));
    memories_.resize(first_.memories.size());
    for (std::size_t part = 0; part < memories_.size(); ++part)
        set_knobs(memories_[part], box, [&](const Role& role) { return has_part(role, part); });
    set_knobs(compute_, box, [&](const Role& role) { return has_part(role, memories_.size()); });
    set_knobs(meshes_, box, [](const Role& role) { return role.counts; });
    check_size(box);
    fill_tables(box);
    check_forms();
    check_points(box);
    made_.clear();
}

template <class Value>
void Parts::set_knobs(Table<Value>& table, const Box& box, const std::function<bool(const Role&)>& wanted) const {
    for (std::size_t knob = 0; knob < roles_.size(); ++knob) {
        if (!wanted(roles_[knob]) || box.ranges[knob].size() == 1) continue;
        table.knobs.push_back(knob);
        table.ranges.push_back(box.ranges[knob]);
    }
}

explore::Point Parts::point_of(const Positions& positions) const {
    explore::Point point = 0;
    for (std::size_t knob = 0; knob < positions.size(); ++knob) point += space_.stride(knob) * positions[knob];
    return point;
}

Parts::Positions Parts::positions_of(explore::Point point) const {
    Positions positions;
    for (std::size_t knob = 0; knob < roles_.size(); ++knob)
        positions.push_back(static_cast<std::uint32_t>(space_.position(point, knob)));
    return positions;
}

const Architecture& Parts::machine(const Positions& positions) {
    const explore::Point point = point_of(positions);
    const auto known = made_.find(point);
    if (known != made_.end()) return known->second;
    try {
        return made_.emplace(point, machine_at_(point)).first->second;
    } catch (const InputError& error) {
        refuse(space_, point, "there is no such machine: " + error.message());
    }
}

void Parts::check_size(const Box& box) const {
    constexpr std::int64_t kMost = 20'000;
    const auto size = [&](const std::vector<std::size_t>& knobs) {
        std::int64_t combinations = 1;
        for (const std::size_t knob : knobs) combinations = std::min(kMost + 1, combinations * box.ranges[knob].size());
        return combinations;
    };
    std::int64_t all = size(compute_.knobs) + size(meshes_.knobs);
    for (const Table<Memory>& memory : memories_) all += size(memory.knobs);
    if (all > kMost)
        throw InputError(ErrorCode::unsupported, {},
                         "the parts of these machines are more than 20,000: fewer knobs may be about one part, or "
                         "they may have fewer values");
}

void Parts::fill_tables(const Box& box) {
    for_each_combination(box, meshes_.knobs,
                         [&](const Positions& positions) { meshes_.values.push_back(meshes_of(machine(positions))); });
    for (std::size_t part = 0; part < memories_.size(); ++part)
        for_each_combination(box, memories_[part].knobs, [&](const Positions& positions) {
            const Architecture& made = machine(positions);
            if (made.memories.size() != memories_.size())
                refuse(space_, point_of(positions), "machines have different numbers of memories");
            memories_[part].values.push_back(without_mesh(made.memories[part]));
        });
    for_each_combination(box, compute_.knobs, [&](const Positions& positions) {
        compute_.values.push_back(without_mesh(machine(positions).compute));
    });
}

void Parts::check_forms() const {
    const explore::Point first = point_of(Positions(roles_.size(), 0));
    for (const Table<Memory>& memory : memories_)
        for (const Memory& value : memory.values)
            if (form_of(value) != form_of(memory.values.front()))
                refuse(space_, first,
                       "a knob changes more of '" + value.name + "' than capacity, bandwidth, energy and area");
    const bool counts_vary = meshes_.values.size() > 1;
    for (const Memory& memory : first_.memories)
        if (counts_vary && (memory.cluster_size > 1 || memory.power_gated_at))
            refuse(space_, first,
                   "how many there are of '" + memory.name + "' decides what an access or leakage costs");
    for (const Meshes& meshes : meshes_.values) {
        if (meshes.size() != first_.memories.size() + 1)
            refuse(space_, first, "machines have different numbers of levels, as where a mesh may be 1");
        if (meshes.front() != meshes_.values.front().front())
            refuse(space_, first, "the mesh of the outermost memory varies");
    }
}

Architecture Parts::composed(explore::Point point) const {
    const Positions positions = positions_of(point);
    Architecture machine = first_;
    for (std::size_t part = 0; part < memories_.size(); ++part) machine.memories[part] = memories_[part].at(positions);
    machine.compute = compute_.at(positions);
    set_mesh(machine, meshes_.at(positions));
    return machine;
}

bool Parts::is_composed(explore::Point point, const Architecture& machine) const { return composed(point) == machine; }

// At points all over the box: the corners, and some drawn by a fixed seed.
void Parts::check_points(const Box& box) {
    constexpr int kDrawn = 64;
    Random random(1);
    Positions low;
    Positions high;
    for (const Range& range : box.ranges) {
        low.push_back(range.low);
        high.push_back(range.high - 1);
    }
    std::vector<Positions> all{low, high};
    for (int i = 0; i < kDrawn; ++i) {
        Positions drawn;
        for (const Range& range : box.ranges)
            drawn.push_back(range.low + static_cast<std::uint32_t>(random.below(range.size())));
        all.push_back(drawn);
    }
    for (const Positions& positions : all)
        if (!is_composed(point_of(positions), machine(positions)))
            refuse(space_, point_of(positions), "a knob is about more parts of the machine than it names");
}

std::vector<double> Parts::least_areas(const Box& box) const {
    std::vector<double> areas;
    const auto add = [&](const auto& table) {
        double least = std::numeric_limits<double>::infinity();
        for_each_combination(box, table.knobs, [&](const Positions& positions) {
            least = std::min(least, table.at(positions).area_um2.value);
        });
        areas.push_back(least);
    };
    for (const Table<Memory>& memory : memories_) add(memory);
    add(compute_);
    return areas;
}

// Of the meshes with room for the smallest parts.
std::optional<Parts::Spread> Parts::spread(const Box& box, const std::vector<double>& areas,
                                           const AreaLimit& limit) const {
    std::optional<Spread> spread;
    for_each_combination(box, meshes_.knobs, [&](const Positions& positions) {
        const Meshes& meshes = meshes_.at(positions);
        const double area = area_of(areas, sizes(meshes));
        if (!limit.allows(area)) return;
        if (!spread) {
            spread.emplace(Spread{Fanouts(meshes), area});
            return;
        }
        spread->fanouts.add(meshes);
        spread->least_um2 = std::min(spread->least_um2, area);
    });
    return spread;
}

// Minimum of everything else over a part's values with room for `others`. False: none.
template <class Value>
bool Parts::take_best(const Box& box, const Table<Value>& table, const AreaLimit& limit, double others_um2,
                      double instances, Value& best) const {
    bool any = false;
    for_each_combination(box, table.knobs, [&](const Positions& positions) {
        const Value& one = table.at(positions);
        if (!limit.allows(others_um2 + one.area_um2.value * instances)) return;
        if (any)
            relax(best, one);
        else
            best = one;
        any = true;
    });
    return any;
}

std::optional<RelaxedMachine> Parts::relaxed(const Box& box, const AreaLimit& limit) const {
    const std::vector<double> areas = least_areas(box);
    const std::optional<Spread> spread = this->spread(box, areas, limit);
    if (!spread) return std::nullopt;
    const Fanouts& fanouts = spread->fanouts;
    RelaxedMachine result{first_, fanouts, spread->least_um2 * kMm2 * kRounding};
    const double all_um2 = area_of(areas, fanouts.fewest);
    const auto take = [&](const auto& table, std::size_t part, auto& best) {
        const auto instances = static_cast<double>(fanouts.fewest[part]);
        return take_best(box, table, limit, all_um2 - areas[part] * instances, instances, best);
    };
    bool some = take(compute_, memories_.size(), result.architecture.compute);
    for (std::size_t part = 0; part < memories_.size() && some; ++part)
        some = take(memories_[part], part, result.architecture.memories[part]);
    if (!some) return std::nullopt;
    if (is_single(box)) {
        set_mesh(result.architecture, meshes_.at(positions_of(first_point(box, space_))));
        return result;
    }
    result.architecture.memories.front().mesh = meshes_.values.front().front();
    spread_out(result.architecture, fanouts);
    return result;
}

}  // namespace tilewright::codesign
