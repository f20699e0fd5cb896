// The machines of a space, part by part: a memory depends on few knobs, so a table of each part over its own knobs
// describes millions of machines.
//
//     const Parts parts(space, roles, machine_at, whole(space));
//     parts.relaxed(box, {.most_area_mm2 = 10.0})     // one machine at least as good as all of the box
//
// A knob's Role claims its parts. The claim is checked at points all over the space when the tables are made, and at
// every mapped machine (is_composed()).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "codesign/box.hpp"
#include "codesign/relaxation.hpp"

namespace tilewright::codesign {

/// Parts of a machine changed by a knob.
struct Role {
    bool form = false;        ///< anything at all (networks, variables, word widths): such knobs are decided first
    bool counts = false;      ///< meshes and instances, of any level
    std::uint32_t parts = 0;  ///< bit p: numbers of memory p; bit memory_count(): of the compute units

    bool operator==(const Role&) const = default;
};

/// The machine of a point, energies and areas estimated. Throws InputError if there is none.
using MachineAt = std::function<Architecture(explore::Point)>;

struct AreaLimit {
    std::optional<double> most_mm2;

    /// With room for rounding.
    bool allows(double area_um2) const;
};

struct RelaxedMachine {
    Architecture architecture;
    Fanouts fanouts;
    double least_area_mm2 = 0.0;  ///< of every machine in the box
};

class Parts {
   public:
    using Positions = std::vector<std::uint32_t>;

    /// A table over the combinations of some knobs. Looked up for every combination of every box: by index.
    template <class Value>
    struct Table {
        std::vector<std::size_t> knobs;
        std::vector<Range> ranges;  ///< of these knobs
        std::vector<Value> values;  ///< the last knob changes fastest

        /// For these positions of all knobs.
        const Value& at(const Positions& all) const {
            std::size_t index = 0;
            for (std::size_t k = 0; k < knobs.size(); ++k)
                index = index * ranges[k].size() + (all[knobs[k]] - ranges[k].low);
            return values[index];
        }
    };

    /// The machines of `box`, with every knob of the role `form` fixed. Keeps a reference to the space. Throws
    /// InputError if the tables are too large, a machine cannot be made, machines differ in a property without an
    /// order, or a knob exceeds its role.
    Parts(const explore::Space& space, const std::vector<Role>& roles, const MachineAt& machine_at, const Box& box);

    /// At least as good as every machine of the box within the limit; nothing if none is.
    std::optional<RelaxedMachine> relaxed(const Box& box, const AreaLimit& limit) const;

    /// The machine of that point equals its parts.
    bool is_composed(explore::Point point, const Architecture& machine) const;

    /// One of the machines: everything outside the tables.
    const Architecture& first() const { return first_; }
    const std::vector<Table<Memory>>& memories() const { return memories_; }
    const Table<Compute>& compute() const { return compute_; }
    const Table<Meshes>& meshes() const { return meshes_; }

   private:
    /// Over the knobs of the wanted roles with several values in the box.
    template <class Value>
    void set_knobs(Table<Value>& table, const Box& box, const std::function<bool(const Role&)>& wanted) const;
    const Architecture& machine(const Positions& positions);
    explore::Point point_of(const Positions& positions) const;
    Positions positions_of(explore::Point point) const;
    Architecture composed(explore::Point point) const;
    void fill_tables(const Box& box);
    void check_size(const Box& box) const;
    void check_forms() const;
    void check_points(const Box& box);
    std::vector<double> least_areas(const Box& box) const;
    /// Meshes of a box, and the least area of a machine.
    struct Spread {
        Fanouts fanouts;
        double least_um2 = 0.0;
    };
    std::optional<Spread> spread(const Box& box, const std::vector<double>& areas, const AreaLimit& limit) const;
    template <class Value>
    bool take_best(const Box& box, const Table<Value>& table, const AreaLimit& limit, double others_um2,
                   double instances, Value& best) const;

    const explore::Space& space_;
    const std::vector<Role>& roles_;
    const MachineAt& machine_at_;
    std::map<explore::Point, Architecture> made_;  ///< while the tables are filled
    Architecture first_;
    std::vector<Table<Memory>> memories_;
    Table<Compute> compute_;
    Table<Meshes> meshes_;
};

}  // namespace tilewright::codesign
