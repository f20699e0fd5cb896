#include "run/codesign/machine_record.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "base/numbers/number_text.hpp"
#include "certificate/codesign/check_tree.hpp"
#include "model/version.hpp"
#include "native/certificates/machine_certificate.hpp"

namespace tilewright {
namespace {

using certificate::BoxEnd;
using certificate::BoxNode;
using certificate::MachineCertificate;
using certificate::MachineForm;
using certificate::MachineSpace;
using codesign::Box;

[[noreturn]] void refuse_certificate(const std::string& why) {
    throw InputError(ErrorCode::unsupported, {}, "no certificate is written: " + why);
}

template <class Value>
certificate::PartTable<Value> part_table(const codesign::Parts::Table<Value>& table) {
    return {table.knobs, table.values};
}

/// Writes down what a search has found out, with what shows it.
class MachineRecord {
   public:
    MachineRecord(const ProvenMachine& proven, MachineSubject& machines)
        : proven_(proven), machines_(machines), space_(proven.question.specification.space) {}

    MachineCertificate run() {
        MachineCertificate record;
        record.tool_version = proven_.tool_version;
        record.model_version = kModelVersion;
        record.network = proven_.network;
        fill_space(record.space);
        if (proven_.answer.best) record.best = mapped(box_of(proven_.answer.best->point), proven_.answer.best->point);
        add(codesign::whole(space_), record.tree);
        return record;
    }

   private:
    void fill_space(MachineSpace& space) const {
        space.objective = objective_text(proven_.options.objective);
        space.factors = name_of(proven_.options.factors);
        for (const explore::Knob& knob : space_.knobs()) space.knobs.push_back({knob.name, knob.values});
        for (std::size_t knob = 0; knob < proven_.question.roles.size(); ++knob)
            if (proven_.question.roles[knob].form) space.deciding.push_back(knob);
        for (const explore::Condition& limit : proven_.question.specification.limits) space.limits.push_back(of(limit));
        add_forms(space);
    }

    static certificate::MachineLimit of(const explore::Condition& limit) {
        static const std::vector<std::string> kKnown{"area_mm2", "energy_pj", "latency_cycles", "edp_pj_cycles",
                                                     "power_mw"};
        const bool at_most = limit.relation == explore::Condition::Relation::at_most;
        if ((!at_most && limit.relation != explore::Condition::Relation::less) ||
            std::ranges::find(kKnown, limit.name) == kKnown.end())
            refuse_certificate("the checker knows no limit like " + explore::to_text(limit));
        return {limit.name, at_most, limit.bound};
    }

    void add_forms(MachineSpace& space) const {
        Box box = codesign::whole(space_);
        constexpr std::int64_t kMost = 1000;
        std::int64_t forms = 1;
        for (const std::size_t knob : space.deciding) forms = std::min(kMost + 1, forms * box.ranges[knob].size());
        if (forms > kMost) refuse_certificate("knobs that may change anything have more than 1,000 values together");
        codesign::for_each_combination(box, space.deciding, [&](const std::vector<std::uint32_t>& positions) {
            Box one = box;
            MachineForm form;
            for (const std::size_t knob : space.deciding) {
                one.ranges[knob] = {positions[knob], positions[knob] + 1};
                form.decided.push_back(positions[knob]);
            }
            fill(form, machines_.family(one));
            space.forms.push_back(std::move(form));
        });
    }

    static void fill(MachineForm& form, const MachineFamily& family) {
        form.base = family.parts->first();
        if (family.fused) refuse_certificate("the checker counts layers by themselves, not fused ones");
        for (const auto& memory : family.parts->memories()) form.memories.push_back(part_table(memory));
        form.compute = part_table(family.parts->compute());
        form.meshes = part_table(family.parts->meshes());
        for (const ShapeProblem& shape : family.problem.shapes) {
            if (!shape.layer.is_plain())
                refuse_certificate("the checker counts machines with words of one width, and no zeros");
            form.layers.push_back({shape.names, shape.repeats, shape.layer.einsum, shape.layer.constraints});
        }
    }

    static certificate::MachineBox ranges_of(const Box& box) {
        certificate::MachineBox ranges;
        for (const codesign::Range& range : box.ranges) ranges.push_back({range.low, range.high});
        return ranges;
    }

    Box box_of(explore::Point point) const {
        Box box = codesign::whole(space_);
        for (std::size_t knob = 0; knob < box.ranges.size(); ++knob) {
            const auto at = static_cast<std::uint32_t>(space_.position(point, knob));
            box.ranges[knob] = {at, at + 1};
        }
        return box;
    }

    // A box, then what it was cut into.
    void add(const Box& box, std::vector<BoxNode>& tree) {
        const auto cut = proven_.answer.tree.cuts.find(box);
        if (cut == proven_.answer.tree.cuts.end()) return tree.push_back(leaf(box));
        BoxNode node;
        node.box = ranges_of(box);
        node.knob = cut->second;
        tree.push_back(std::move(node));
        const auto [low, high] = codesign::halves(box, cut->second);
        add(low, tree);
        add(high, tree);
    }

    BoxNode leaf(const Box& box) {
        if (proven_.answer.tree.ends.at(box) == codesign::End::mapped)
            return mapped(box, codesign::first_point(box, space_));
        const double best = proven_.answer.best ? proven_.answer.best->value : std::numeric_limits<double>::infinity();
        const double enough = best * codesign::kClose;
        RuledOut shown = machines_.ruled_out(box, enough);
        BoxNode node;
        node.box = ranges_of(box);
        node.end = shown.beyond_area || !shown.limit.empty() ? BoxEnd::beyond
                   : shown.unmappable                        ? BoxEnd::unmappable
                                                             : BoxEnd::worse;
        node.limit = shown.beyond_area ? "area_mm2" : shown.limit;
        node.layer = shown.unmappable.value_or(0);
        if (node.end == BoxEnd::worse) {
            lower(shown, enough);
            node.value = shown.value;
        }
        for (const codesign::LayerFloor& floor : shown.floors)
            node.layers.push_back({floor.energy_pj, floor.cycles, floor.objective});
        return node;
    }

    // To what still rules the box out: what is far above that is shown in less time.
    void lower(RuledOut& shown, double enough) const {
        if (!(shown.value > enough)) return;
        const double share = enough / shown.value;
        const bool of_cycles = proven_.options.objective.kind == ObjectiveKind::latency;
        for (codesign::LayerFloor& floor : shown.floors) {
            (of_cycles ? floor.cycles : floor.energy_pj) *= share;
            floor.objective *= share;
        }
        shown.value = enough;
    }

    BoxNode mapped(const Box& box, explore::Point point) {
        BoxNode node;
        node.box = ranges_of(box);
        const NetworkAnswer answer = machines_.mappings(point);
        node.end = BoxEnd::mapped;
        for (std::size_t i = 0; i < answer.layers.size(); ++i) {
            const LayerAnswer& layer = answer.layers[i];
            if (!layer.mapping) return unmappable(std::move(node), i);
            node.answers.push_back(
                {*layer.mapping, {layer.evaluation->energy_pj, static_cast<double>(layer.evaluation->cycles)}});
        }
        const explore::Row row = machines_.row(point);
        node.value = row.values.at(proven_.question.metric);
        for (const explore::Condition& limit : proven_.question.specification.limits)
            if (!limit.holds(
                    row.values.at(explore::metric_named(proven_.question.specification.metrics, limit.name, {}))))
                node.limit = limit.name;
        return node;
    }

    static BoxNode unmappable(BoxNode node, std::size_t layer) {
        node.end = BoxEnd::unmappable;
        node.layer = layer;
        node.answers.clear();
        return node;
    }

    const ProvenMachine& proven_;
    MachineSubject& machines_;
    const explore::Space& space_;
};

}  // namespace

std::string machine_certificate_json(const ProvenMachine& proven, MachineSubject& machines) {
    return native::write_machine_certificate(MachineRecord(proven, machines).run());
}

}  // namespace tilewright
