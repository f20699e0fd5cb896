// The fields of what `tilewright explore --prove` writes as JSON (yaml/archive.hpp). Internal to report/.
#pragma once

#include "report/codesign/best_machine.hpp"
#include "report/machine_fields.hpp"

namespace tilewright::codesign {

template <typename Archive, yaml::Of<Counts> T>
void fields(Archive& archive, T& counts) {
    archive.name("Counts");
    archive("boxes", counts.boxes, "looked at");
    archive("beyond_limits", counts.empty_cuts, "boxes without a valid machine");
    archive("ruled_out_by_quick_floors", counts.quick_cuts, "boxes");
    archive("ruled_out_by_floors", counts.floor_cuts, "boxes, by floors of the optimal mapper");
    archive("floors", counts.floors, "of the optimal mapper that were found");
    archive("machines_mapped", counts.mapped);
    archive("machines_not_valid", counts.invalid, "of those mapped");
    archive("machines_ruled_out", counts.worse, "with their boxes, by floors");
    archive("machines_ruled_out_by_quick_floors", counts.quick_worse, "of those");
    archive("machines_beyond_limits", counts.impossible, "with their boxes");
}

}  // namespace tilewright::codesign

namespace tilewright::report {

template <typename Archive, yaml::Of<FoundMachine> T>
void fields(Archive& archive, T& machine) {
    archive.name("FoundMachine");
    archive("point", machine.point, "its number in the space");
    archive("knobs", machine.knobs);
    archive("metrics", machine.metrics, "with units in their names");
}

template <typename Archive, yaml::Of<ImprovedMachine> T>
void fields(Archive& archive, T& improved) {
    archive.name("ImprovedMachine");
    archive("boxes", improved.boxes, "looked at until then");
    archive("point", improved.point);
    archive("value", improved.value);
}

template <typename Archive, yaml::Of<BoundThen> T>
void fields(Archive& archive, T& known) {
    archive.name("BoundThen");
    archive("boxes", known.boxes, "looked at until then");
    archive("value", known.value, "of the best machine so far");
    archive("bound", known.bound);
}

template <typename Archive, yaml::Of<KnobWorth> T>
void fields(Archive& archive, T& worth) {
    archive.name("KnobWorth");
    archive("knob", worth.knob);
    archive("value", worth.value, "at which the knob is held");
    archive("machines", worth.machines, "that have it");
    archive("least", worth.least, "no valid machine with it has less; null: none is valid");
    archive("found", worth.found, "the least of those that were mapped; null: none");
    archive("point", worth.point, "of that machine");
    archive("proven", worth.proven, "no machine with it is better than the one found; null: none is valid");
    archive("of_best", worth.of_best, "the best machine of all has it");
}

template <typename Archive, yaml::Of<BestMachineReport> T>
void fields(Archive& archive, T& report) {
    document::begin(archive, "tilewright-codesign/1", report.provenance);
    archive("title", report.title, "network and machine");
    archive("metric", report.metric, "that is to be least");
    archive("machines", report.machines, "of the space");
    archive("best", report.best, "null: none was found");
    archive("value", report.value, "of the best machine");
    archive("bound", report.bound, "no valid machine has less; null: none is valid");
    archive("proven", report.proven, "none is better, to nine digits; without a best machine: none is valid");
    archive("machines_with_unproven_mappings", report.unproven,
            "that were mapped and may be better, were their mappings proven");
    archive("boxes_left", report.boxes_left);
    archive("counts", report.counts);
    archive("cuts_along", report.cuts_along, "by knob, how many boxes were cut along it");
    archive("improvements", report.improvements, "each better machine when it was found");
    archive("course", report.course, "moments of the search");
    archive("worth", report.worth, "of each knob's values, the best machine with it (--worth); else empty");
    archive("notes", report.notes);
}

}  // namespace tilewright::report
