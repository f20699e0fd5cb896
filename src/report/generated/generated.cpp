#include "report/generated/generated.hpp"

#include "report/accelforge/accelforge_report.hpp"
#include "report/cascade/document.hpp"
#include "report/codesign/machine_front.hpp"
#include "report/comparison/mapper_comparison.hpp"
#include "report/document.hpp"
#include "report/fields.hpp"
#include "report/fused/fused_report.hpp"
#include "report/fused/search.hpp"
#include "report/llm/serving.hpp"
#include "report/package/package_report.hpp"
#include "report/page/data.hpp"
#include "report/peers/dataflow_document.hpp"
#include "report/peers/scalesim_report.hpp"
#include "report/peers/tileflow_report.hpp"
#include "report/schedule/document.hpp"
#include "report/simulation/document.hpp"
#include "report/zigzag_document.hpp"
#include "tiles/document/document.hpp"
#include "yaml/schema.hpp"

namespace tilewright::report {
namespace {

template <typename T>
GeneratedFile schema(const std::string& name, const std::string& title, const std::string& about) {
    const std::string file = name + ".schema.json";
    return {"schemas/" + file, yaml::schema_text({file, title, about}, yaml::type_of<T>())};
}

}  // namespace

std::vector<GeneratedFile> generated_files() {
    return {
        {"report-ui/src/types.ts",
         "// Written by build/release/bin/schemas: the form of a page's values.\n\n" + page::data_types()},
        schema<document::Report>("report-2", "Tilewright report, version 2",
                                 "What `tilewright map` and `tilewright evaluate` write as report.json and print with "
                                 "--json. docs/report.md explains it."),
        schema<document::Comparison>("comparison-1", "Tilewright comparison of accountings, version 1",
                                     "What `tilewright compare` prints with --json. docs/report.md explains it."),
        schema<std::variant<document::Shown, document::ShownCascadeFile>>(
            "show-1", "Tilewright inputs as they were read, version 1", "What `tilewright show` prints with --json."),
        schema<document::Checked>("check-1", "Tilewright judgement of certificates, version 1",
                                  "What `tilewright check` prints with --json. docs/certificate.md explains it."),
        schema<document::Simulation>(
            "simulation-1", "Tilewright simulation, version 1",
            "What `tilewright simulate` prints with --json and writes as simulation.json, and "
            "what `tilewright compare --simulate --json` prints. docs/simulate.md explains it."),
        schema<document::ScheduleReplay>("schedule-replay-1", "Tilewright schedule replay, version 1",
                                         "What `tilewright simulate schedule.json` prints with --json and writes as "
                                         "simulation.json. docs/simulate.md explains it."),
        schema<document::ScheduleReport>("schedule-report-1", "Tilewright schedule report, version 1",
                                         "What `tilewright schedule` prints with --json and writes as report.json. "
                                         "docs/schedule.md explains it."),
        schema<document::Mappers>(
            "mappers-1", "Tilewright comparison of mappers, version 1",
            "What `tilewright compare --mappers` prints with --json. docs/search.md explains it."),
        schema<document::Zigzag>("zigzag-1", "Tilewright report of ZigZag's accounting, version 1",
                                 "What `tilewright evaluate` and `tilewright map` write as report.json and print with "
                                 "--json for ZigZag's own files. docs/zigzag.md explains the terms."),
        schema<document::Serving>("llm-1", "Tilewright serving, version 1",
                                  "What `tilewright llm` prints with --json and writes as report.json. docs/llm.md "
                                  "explains it."),
        schema<std::variant<document::Dataflows, document::ToolDataflows>>(
            "dataflow-1", "Tilewright report on data-centric dataflows, version 1",
            "What `tilewright evaluate` and `map --mapper gamma` or `dataflow` print with --json for data-centric "
            "dataflows. docs/maestro.md explains it."),
        schema<report::AccelforgeReport>(
            "accelforge-1", "Tilewright report of AccelForge's accounting, version 1",
            "What `tilewright evaluate` prints with --json, and writes as report.json, for AccelForge's own mappings. "
            "Units are AccelForge's: J, s, bits. docs/coming-from-accelforge.md explains the counts."),
        schema<report::BestMachineReport>("codesign-1", "Tilewright best machine of a space, version 1",
                                          "What `tilewright explore --prove` prints with --json and writes as "
                                          "report.json. docs/codesign.md explains it."),
        schema<report::MachineFrontReport>(
            "codesign-front-1", "Tilewright machines of a space that no other beats, version 1",
            "What `tilewright explore --prove --pareto` prints with --json and writes as report.json. "
            "docs/codesign.md explains it."),
        schema<report::ScaleSimReport>("scalesim-1", "Tilewright report of SCALE-Sim's cycles, version 1",
                                       "What `tilewright evaluate --account scalesim` prints with --json. "
                                       "docs/coming-from-scalesim.md explains the cycles."),
        schema<report::TileflowReport>("tileflow-1", "Tilewright report of TileFlow's accounting, version 1",
                                       "What `tilewright evaluate --fused-mapping` prints with --json for TileFlow's "
                                       "mappings. docs/fusion.md explains the counts."),
        schema<document::Fused>("fused-1", "Tilewright costs of a fused mapping, version 1",
                                "What `tilewright evaluate --fused-mapping` prints with --json. docs/fusion.md "
                                "explains the counts."),
        schema<tiles::TilesDocument>("tiles-1", "Tilewright tile sizes, version 1",
                                     "What `tilewright tiles` prints with --json. docs/tiles.md explains it."),
        schema<report::PackageReport>("package-1", "Tilewright plan on a package, version 1",
                                      "What `tilewright map --package` and `evaluate --plan` print with --json. "
                                      "docs/packages-of-cores.md explains it."),
        schema<report::FusionReport>("fusion-1", "Tilewright best fused mapping, version 1",
                                     "What `tilewright map --fuse` prints with --json and writes as report.json. "
                                     "docs/fusion.md explains it."),
    };
}

}  // namespace tilewright::report
