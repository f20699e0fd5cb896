// The Pareto front of a space's machines, for people and programs (`tilewright explore --prove --pareto`).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "codesign/front.hpp"
#include "report/codesign/best_machine.hpp"

namespace tilewright::report {

/// A machine's values with the mappings made for one metric.
struct MappedFor {
    std::string metric;
    std::vector<std::pair<std::string, double>> metrics;
};

struct MachineOfFront {
    std::int64_t point = 0;
    std::vector<std::pair<std::string, KnobValue>> knobs;
    std::vector<std::pair<std::string, double>> values;  ///< of the front's metrics, each of the mappings made for it
    std::vector<MappedFor> mapped;                       ///< by metric of the front, without the area
};

/// A region with possibly better machines.
struct EnvelopePoint {
    std::vector<std::pair<std::string, double>> floors;      ///< of the front's metrics
    std::vector<std::pair<std::string, std::string>> knobs;  ///< "4096" or "4096 to 16384"
    std::int64_t machines = 0;
};

/// State of the search at a moment.
struct KnownThen {
    std::int64_t boxes = 0;
    std::int64_t machines = 0;  ///< of the front so far
    double gap = 1.0;
};

struct MachineFrontReport {
    Provenance provenance;
    std::string title;                 ///< "resnet50 on eyeriss"
    std::vector<std::string> metrics;  ///< two or three
    std::int64_t machines = 0;         ///< of the space
    std::vector<MachineOfFront> front;
    bool proven = false;
    double gap = 1.0;  ///< missing machines are at most this share better than a machine of the front
    std::vector<EnvelopePoint> envelope;
    std::int64_t unproven = 0;
    std::int64_t boxes_left = 0;
    codesign::Counts counts;
    std::vector<std::pair<std::string, double>> cuts_along;  ///< by knob: boxes cut along it
    std::vector<KnownThen> course;
    std::vector<std::string> notes;
};

/// `rows`: of every machine of the front, the values of the mappings for each metric, by metric of `metrics` (area is
/// ignored). Provenance, title and notes are the caller's.
MachineFrontReport machine_front_report(const codesign::FrontAnswer& answer,
                                        const explore::Specification& specification,
                                        const std::vector<std::size_t>& metrics,
                                        const std::vector<std::vector<explore::Row>>& rows);

std::string machine_front_text(const MachineFrontReport& report);
/// "tilewright-codesign-front/1"
std::string machine_front_json(const MachineFrontReport& report);

views::Headline machine_front_headline(const MachineFrontReport& report);
/// The front and its envelope, reasons of exclusion, and the gap over the search.
std::vector<views::Figure> machine_front_figures(const MachineFrontReport& report);

}  // namespace tilewright::report
