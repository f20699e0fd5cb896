// A plan of a cascade on a package of cores, found or given, as a report. Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "multicore/evaluate.hpp"
#include "report/report.hpp"

namespace tilewright::report {

struct PackageSlot {
    std::int64_t slot = 0;  ///< from -1 on
    std::int64_t cycles = 0;
    std::int64_t compute_cycles = 0;
    std::int64_t moving_cycles = 0;
    std::string bound_by;  ///< "core 3", "link (0,0)-(1,0)", "dram 0"; "": nothing happens
};

struct PackageStage {
    std::string einsum;
    std::vector<std::int64_t> cores;
    std::string split;  ///< "k/2 p/4"
    std::string sums;   ///< "root", "scatter k", "ring k"; "": no sum is split
    std::vector<std::string> streamed;
    std::int64_t first_slot = 0;  ///< of its first step
};

struct PackageRun {
    std::string step;  ///< "p by 2"
    std::int64_t steps = 1;
    std::int64_t repeats = 1;
    double energy_pj = 0.0;   ///< of one repeat
    std::int64_t cycles = 0;  ///< of one repeat
    std::vector<PackageStage> stages;
    std::vector<PackageSlot> slots;
};

struct PackageCore {
    std::int64_t core = 0;
    std::string kind;
    std::int64_t x = 0;
    std::int64_t y = 0;
    std::int64_t busy_cycles = 0;  ///< of all repeats
    std::int64_t peak_words = 0;
    std::int64_t buffer_words = 0;
};

struct PackageLink {
    std::string link;  ///< "(0,0)-(1,0)", "core 3 out", "dram 0 in"
    std::string sort;  ///< "link", "d2d", "local"
    std::int64_t words = 0;
    std::int64_t deciding_slots = 0;  ///< in which it takes longest of all
};

struct PackageReport {
    Provenance provenance;
    std::string package;
    std::string cascade;
    std::string objective;        ///< "": the plan was given
    std::optional<double> value;  ///< of the objective
    std::optional<double> bound;  ///< no plan of the space has less
    bool proven = false;
    bool interrupted = false;
    multicore::Energy energy;  ///< by cause
    std::int64_t cycles = 0;
    multicore::Counts counts;
    std::vector<PackageRun> runs;
    std::vector<PackageCore> cores;
    std::vector<PackageLink> links;  ///< over which words go
    std::string plan;                ///< as text
    std::vector<std::string> notes;
};

/// Runs with their stages, energy by cause, what bounds the slots; bound and claim; the plan.
std::string package_text(const PackageReport& report);
/// "tilewright-package/1"
std::string package_json(const PackageReport& report);
/// A row for every slot of every run.
std::string package_csv(const PackageReport& report);

}  // namespace tilewright::report
