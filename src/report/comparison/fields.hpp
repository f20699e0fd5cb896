// The document of mappers side by side ("tilewright-mappers") as values, and their fields (yaml/archive.hpp). Internal
// to report/.
#pragma once

#include "report/comparison/mapper_comparison.hpp"
#include "report/machine_fields.hpp"

namespace tilewright {

template <typename Archive, yaml::Of<Improvement> T>
void fields(Archive& archive, T& improvement) {
    archive.name("Improvement");
    archive("evaluations", improvement.evaluations, "so far, this one counted");
    archive("seconds", improvement.seconds, "of wall clock; differs from run to run");
    archive("energy_pj", improvement.cost.energy_pj);
    archive("cycles", improvement.cost.cycles);
    archive("score", improvement.score.value, "what the objective makes of them");
}

}  // namespace tilewright

namespace tilewright::report {

template <typename Archive, yaml::Of<Contestant> T>
void fields(Archive& archive, T& contestant) {
    archive.name("Contestant");
    archive("mapper", contestant.mapper);
    archive("factors", contestant.factors);
}

template <typename Archive, yaml::Of<MapperRun> T>
void fields(Archive& archive, T& run) {
    archive.name("Run");
    archive("seed", run.seed);
    archive("evaluations", run.evaluations);
    archive("seconds", run.seconds);
    archive("stopped_by", run.stopped_by);
    archive("improvements", run.improvements, "every mapping that was better than all before it");
}

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

template <typename Archive, yaml::Of<CurvePoint> T>
void fields(Archive& archive, T& point) {
    archive.name("CurvePoint", "geometric mean over the layers of score / best");
    archive("spent", point.spent);
    archive("relative", point.relative, "by contestant; null while a layer has no mapping");
}

template <typename Archive, yaml::Of<ContestantRuns> T>
void fields(Archive& archive, T& contestant) {
    archive("final", contestant.in_the_end, "mean over the runs");
    archive("runs", contestant.runs);
}

template <typename Archive, yaml::Of<ComparedLayer> T>
void fields(Archive& archive, T& layer) {
    archive.name("Layer");
    archive("name", layer.name);
    archive("repeats", yaml::Positive{layer.repeats});
    archive("best", layer.best, "the least score that anyone found");
    archive("contestants", layer.contestants, "in the order of the document's");
}

template <typename Archive, yaml::Of<Mappers> T>
void fields(Archive& archive, T& mappers) {
    begin(archive, "tilewright-mappers/1", mappers.provenance);
    archive("interrupted", mappers.interrupted, "layers that were not searched to the end are left out");
    archive("notes", mappers.notes);
    archive("architecture", mappers.architecture);
    archive("network", mappers.network);
    archive("objective", mappers.objective);
    archive("contestants", mappers.contestants);
    archive("by_evaluations", mappers.by_evaluations);
    archive("by_seconds", mappers.by_seconds);
    archive("layers", mappers.layers);
}

}  // namespace tilewright::document
