// The document "tilewright-mappers" as values, and their fields (yaml/archive.hpp). Internal to report/.
#pragma once

#include "report/comparison/mapper_comparison.hpp"
#include "report/document.hpp"
#include "report/fields.hpp"

namespace tilewright::document {

struct CurvePoint {
    double spent = 0.0;
    std::vector<std::optional<double>> relative;  ///< by contestant
};

struct ContestantRuns {
    std::optional<double> in_the_end;
    std::vector<report::MapperRun> runs;
};

struct ComparedLayer {
    std::string name;
    std::int64_t repeats = 1;
    std::optional<double> best;
    std::vector<ContestantRuns> contestants;
};

/// "tilewright-mappers"
struct Mappers {
    report::Provenance provenance;
    bool interrupted = false;
    std::vector<std::string> notes;
    std::string architecture;
    std::string network;
    std::string objective;
    std::vector<report::Contestant> contestants;
    std::vector<CurvePoint> by_evaluations;
    std::vector<CurvePoint> by_seconds;
    std::vector<ComparedLayer> layers;
};

}  // namespace tilewright::document
