// A plan of a cascade on a package of cores, found or given, as a report. Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "multicore/cost.hpp"
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
    std::int64_t first_slot = 0;            ///< of its first step
    std::vector<std::int64_t> step_cycles;  ///< by step, of its slowest core; 0: nothing is made
};

/// Words of a tensor that stand in cores, by slot from -1 on.
struct PackageRoom {
    std::string tensor;
    std::vector<std::int64_t> words;          ///< in all cores
    std::vector<std::int64_t> fullest_words;  ///< in the run's fullest core
};

struct PackageRun {
    std::string step;  ///< "p by 2"
    std::int64_t steps = 1;
    std::int64_t repeats = 1;
    double energy_pj = 0.0;   ///< of one repeat
    std::int64_t cycles = 0;  ///< of one repeat
    std::vector<PackageStage> stages;
    std::vector<PackageSlot> slots;
    std::int64_t fullest_core = 0;  ///< which has the largest share of its buffer filled in some slot
    std::vector<PackageRoom> room;  ///< by tensor
};

struct PackageCore {
    std::int64_t core = 0;
    std::string kind;
    std::int64_t x = 0;
    std::int64_t y = 0;
    std::int64_t busy_cycles = 0;  ///< of all repeats
    std::int64_t peak_words = 0;
    std::int64_t buffer_words = 0;
    multicore::Energy energy;  ///< of all repeats; links and DRAM have their own
};

struct PackageLink {
    std::string link;    ///< "(0,0)-(1,0)", "core 3 out", "dram 0 in"
    std::string sort;    ///< "link", "d2d", "local"
    std::int64_t x = 0;  ///< of the router that it leaves; of a local link: at which it is
    std::int64_t y = 0;
    std::int64_t to_x = 0;
    std::int64_t to_y = 0;
    std::int64_t words = 0;
    std::int64_t busy_cycles = 0;
    std::int64_t deciding_slots = 0;  ///< in which it takes longest of all
    double energy_pj = 0.0;
};

struct PackageDram {
    std::int64_t dram = 0;
    std::int64_t x = 0;
    std::int64_t y = 0;
    std::int64_t words = 0;  ///< read and written
    std::int64_t busy_cycles = 0;
    std::int64_t deciding_slots = 0;
    double energy_pj = 0.0;
};

/// Words of a tensor that travel, of all repeats.
struct PackageTensor {
    std::string tensor;
    std::int64_t dram_words = 0;
    std::int64_t link_words = 0;
    std::int64_t d2d_words = 0;
};

/// Routers.
struct PackageMesh {
    std::int64_t columns = 1;
    std::int64_t rows = 1;
    std::int64_t chiplet_columns = 1;
    std::int64_t chiplet_rows = 1;
};

struct PackageReport {
    Provenance provenance;
    std::string package;
    PackageMesh mesh;
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
    std::vector<PackageDram> drams;
    std::vector<PackageTensor> tensors;  ///< that travel
    std::string plan;                    ///< as text
    std::vector<std::string> notes;
};

/// Runs with their stages, energy by cause, what bounds the slots, use of cores and links, words of tensors; bound and
/// claim; the plan.
std::string package_text(const PackageReport& report);
/// "tilewright-package/1"
std::string package_json(const PackageReport& report);
/// A row for every slot of every run.
std::string package_csv(const PackageReport& report);

}  // namespace tilewright::report
