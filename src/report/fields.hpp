// Documents with fields listed beside their code (yaml/archive.hpp), and values shared by several. Internal to report/.
#pragma once

#include <string>

#include "report/document.hpp"
#include "yaml/archive.hpp"

namespace tilewright {

void fields(yaml::Archive& archive, UnmappedOperator& op);
void fields(yaml::Archive& archive, SearchSummary& search);

}  // namespace tilewright

namespace tilewright::codesign {

struct Counts;

void fields(yaml::Archive& archive, Counts& counts);

}  // namespace tilewright::codesign

namespace tilewright::report {

struct AccelforgeReport;
struct BestMachineReport;
struct FoundMachine;
struct FusionReport;
struct MachineFrontReport;
struct PackageReport;
struct ScaleSimReport;
struct TileflowReport;

void fields(yaml::Archive& archive, Input& input);
void fields(yaml::Archive& archive, Provenance& provenance);
void fields(yaml::Archive& archive, BoundShare& bound);
void fields(yaml::Archive& archive, FoundMachine& machine);

/// A document as text, with a final newline. Bad bytes (names from foreign files) are replaced to make it UTF-8.
std::string dumped(const yaml::Ref& document);

void fields(yaml::Archive& archive, AccelforgeReport& report);
void fields(yaml::Archive& archive, BestMachineReport& report);
void fields(yaml::Archive& archive, FusionReport& report);
void fields(yaml::Archive& archive, PackageReport& report);
void fields(yaml::Archive& archive, MachineFrontReport& report);
void fields(yaml::Archive& archive, ScaleSimReport& report);
void fields(yaml::Archive& archive, TileflowReport& report);

}  // namespace tilewright::report

namespace tilewright::document {

struct Dataflows;
struct Fused;
struct Mappers;
struct ScheduleReplay;
struct ScheduleReport;
struct Serving;
struct ShownCascadeFile;
struct Simulation;
struct ToolDataflows;
struct Zigzag;

/// Head of every document: schema, author, and inputs.
void begin(yaml::Archive& archive, const char* schema, report::Provenance& provenance);

void fields(yaml::Archive& archive, ShownMachine& machine);
void fields(yaml::Archive& archive, Extent& dimension);
void fields(yaml::Archive& archive, Tensor& tensor);
void fields(yaml::Archive& archive, StoreLine& line);
void fields(yaml::Archive& archive, LoopLine& line);
void fields(yaml::Archive& archive, FrontPoint& point);
void fields(yaml::Archive& archive, Layer& layer);

void fields(yaml::Archive& archive, Report& report);
void fields(yaml::Archive& archive, Comparison& comparison);
void fields(yaml::Archive& archive, Shown& shown);
void fields(yaml::Archive& archive, Checked& checked);
void fields(yaml::Archive& archive, Dataflows& report);
void fields(yaml::Archive& archive, Fused& fused);
void fields(yaml::Archive& archive, Mappers& report);
void fields(yaml::Archive& archive, ScheduleReplay& replay);
void fields(yaml::Archive& archive, ScheduleReport& report);
void fields(yaml::Archive& archive, Serving& report);
void fields(yaml::Archive& archive, ShownCascadeFile& file);
void fields(yaml::Archive& archive, Simulation& simulation);
void fields(yaml::Archive& archive, ToolDataflows& report);
void fields(yaml::Archive& archive, Zigzag& report);

}  // namespace tilewright::document
