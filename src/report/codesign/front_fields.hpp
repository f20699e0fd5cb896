// The fields of what `tilewright explore --prove --pareto` writes as JSON (yaml/archive.hpp). Internal to report/.
#pragma once

#include "report/codesign/fields.hpp"
#include "report/codesign/machine_front.hpp"

namespace tilewright::report {

template <typename Archive, yaml::Of<MappedFor> T>
void fields(Archive& archive, T& mapped) {
    archive.name("MappedFor");
    archive("metric", mapped.metric, "that the mappings are made for");
    archive("metrics", mapped.metrics, "what they come to");
}

template <typename Archive, yaml::Of<MachineOfFront> T>
void fields(Archive& archive, T& machine) {
    archive.name("MachineOfFront");
    archive("point", machine.point, "its number in the space");
    archive("knobs", machine.knobs);
    archive("values", machine.values, "of the front's metrics, each of the mappings made for it");
    archive("mapped", machine.mapped, "what else the mappings for each metric come to");
}

template <typename Archive, yaml::Of<EnvelopePoint> T>
void fields(Archive& archive, T& point) {
    archive.name("EnvelopePoint");
    archive("floors", point.floors, "no machine of the box has less of any");
    archive("knobs", point.knobs, "of the box");
    archive("machines", point.machines, "in the box");
}

template <typename Archive, yaml::Of<KnownThen> T>
void fields(Archive& archive, T& known) {
    archive.name("KnownThen");
    archive("boxes", known.boxes, "looked at until then");
    archive("machines", known.machines, "of the front so far");
    archive("gap", known.gap);
}

template <typename Archive, yaml::Of<MachineFrontReport> T>
void fields(Archive& archive, T& report) {
    document::begin(archive, "tilewright-codesign-front/1", report.provenance);
    archive("title", report.title, "network and machine");
    archive("metrics", report.metrics, "two or three");
    archive("machines", report.machines, "of the space");
    archive("front", report.front, "machines that no other beats in all of them; of equal ones, one");
    archive("proven", report.proven, "no other machine belongs to them, to nine digits");
    archive("gap", report.gap,
            "what is missing is no more than this share better, in any metric, than some machine of the front");
    archive("envelope", report.envelope, "where a better machine may still be");
    archive("machines_with_unproven_mappings", report.unproven,
            "that were mapped and may be better, were their mappings proven");
    archive("boxes_left", report.boxes_left);
    archive("counts", report.counts);
    archive("cuts_along", report.cuts_along, "by knob, how many boxes were cut along it");
    archive("course", report.course, "moments of the search");
    archive("notes", report.notes);
}

}  // namespace tilewright::report
