// Mappers side by side: quality of the best mapping by evaluations and by time.
//
// The document "tilewright-mappers" as values, and their fields (yaml/archive.hpp). Internal to report/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mapper/mapper.hpp"
#include "report/document.hpp"
#include "report/fields.hpp"
#include "report/report.hpp"

namespace tilewright::report {

struct Contestant {
    std::string mapper;
    std::string factors;

    /// "hybrid", or "hybrid/ruby-s" with remainders.
    std::string name() const { return factors == "perfect" ? mapper : mapper + "/" + factors; }
};

struct MapperRun {
    std::uint64_t seed = 1;
    std::int64_t evaluations = 0;
    double seconds = 0.0;
    std::string stopped_by;
    std::vector<Improvement> improvements;
};

struct ComparedLayer {
    std::string name;
    std::int64_t repeats = 1;
    std::vector<std::vector<MapperRun>> runs;  ///< by contestant; all of the same seeds

    std::optional<double> best() const;
};

struct MapperComparison {
    Provenance provenance;
    std::string architecture;
    std::string network;
    std::string objective;
    std::vector<Contestant> contestants;
    std::vector<ComparedLayer> layers;
    std::vector<std::string> notes;
    bool interrupted = false;
};

enum class Effort { evaluations, seconds };

/// 1, 2, 5, 10, ... evaluations (or milliseconds) up to the longest run.
std::vector<double> checkpoints(const MapperComparison& comparison, Effort effort);

/// Mean over the runs of the best score within so much effort; nothing while a run has no mapping.
std::optional<double> mean_score(const std::vector<MapperRun>& runs, Effort effort, double spent);

/// Geometric mean over the layers of mean_score() over best(); nothing while a layer has no score. 1 is best.
std::optional<double> relative_score(const MapperComparison& comparison, std::size_t contestant, Effort effort,
                                     double spent);

/// The curves over all layers, then every contestant's final result, layer by layer.
std::string mappers_text(const MapperComparison& comparison);
/// "tilewright-mappers/1" (schemas/mappers-1.schema.json).
std::string mappers_json(const MapperComparison& comparison);
/// layer,mapper,factors,effort,spent,score,relative: one line per layer, contestant and checkpoint. The geometric mean
/// is the layer "*".
std::string mappers_csv(const MapperComparison& comparison);

}  // namespace tilewright::report

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
