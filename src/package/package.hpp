// Package: cores with a buffer each, on a mesh of routers, and DRAMs beside them.
//
// Cores and DRAMs hang on routers, any number on one. Links are directed. A core's kind is an architecture whose
// outermost memory is the core's buffer, or lanes by dimension (a simple core). The order of the cores is the file's:
// teams of a plan are mostly intervals of it. Values; file.hpp reads them. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "arch/architecture.hpp"

namespace tilewright::package {

inline constexpr int kMaxCores = 64;  ///< sets of cores are words of 64 bits

struct Place {
    int x = 0;
    int y = 0;

    bool operator==(const Place&) const = default;
};

/// A sort of link: between neighbours in one chiplet, in two chiplets, or between a core or DRAM and its router.
struct LinkRate {
    double words_per_cycle = 1.0;
    double energy_pj = 0.0;           ///< a word
    std::int64_t latency_cycles = 0;  ///< of its first word

    bool operator==(const LinkRate&) const = default;
};

struct CoreKind {
    std::string name;
    std::int64_t buffer_words = 0;
    double read_pj = 0.0;       ///< of a word of the buffer
    double write_pj = 0.0;      ///< of a word of the buffer
    double operation_pj = 0.0;  ///< of a multiply-accumulate, and of adding a partial sum
    double leak_pj_per_cycle = 0.0;
    std::int64_t window_words = 1;              ///< room of a streamed operand
    std::set<std::string> excluded;             ///< einsums that it cannot run
    std::set<std::string> only_kinds;           ///< kinds of einsums that it runs ("contraction", ...); empty: all
    std::map<std::string, std::int64_t> lanes;  ///< a simple core: by dimension; the others are 1
    std::optional<Architecture> architecture;   ///< outermost memory: the buffer, without its limit

    bool operator==(const CoreKind&) const = default;
};

struct Core {
    Place at;
    int kind = 0;  ///< in Package::kinds

    bool operator==(const Core&) const = default;
};

struct Dram {
    Place at;
    double words_per_cycle = 1.0;  ///< reads and writes together
    double read_pj = 0.0;          ///< a word
    double write_pj = 0.0;

    bool operator==(const Dram&) const = default;
};

struct Package {
    std::string name;
    int columns = 1;
    int rows = 1;
    int chiplet_columns = 1;
    int chiplet_rows = 1;
    LinkRate link;
    LinkRate d2d;
    LinkRate local;
    std::int64_t partial_words = 1;  ///< words on a link for a partial sum
    std::vector<CoreKind> kinds;
    std::vector<Core> cores;
    std::vector<Dram> drams;
    bool interleave = false;           ///< tensors lie in all DRAMs, word by word
    std::map<std::string, int> homes;  ///< DRAM of a tensor; the others: the first

    bool operator==(const Package&) const = default;

    int core_count() const { return static_cast<int>(cores.size()); }
    int dram_count() const { return static_cast<int>(drams.size()); }
    const CoreKind& kind_of(int core) const { return kinds[cores[core].kind]; }
    /// DRAM where a tensor lies; -1: in all of them.
    int home_of(const std::string& tensor) const;
};

/// Why it is malformed, in one sentence, or "".
std::string problem_with(const Package& package);

}  // namespace tilewright::package
