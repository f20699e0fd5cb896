// Pictures of runs: one file per kind.
//
// A document's own pictures (curves of mappers, Gantt charts of schedules) are Figures already.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/parts/table.hpp"
#include "report/plot/chart.hpp"
#include "report/simulation/terms.hpp"
#include "report/views/run.hpp"

namespace tilewright::views {

// A simulation's document: simulated beside expected cycles, by layer and by term. Values; documents/ makes them.

struct SimulatedLayer {
    std::vector<std::string> names;  ///< of the shape's layers
    double repeats = 1.0;
    double model_cycles = 0.0;  ///< of a schedule: its own
    double cycles = 0.0;        ///< as simulated
    bool interrupted = false;
    std::vector<report::Term> terms;
    std::string underestimated;  ///< the name of a term; "" for none
};

struct Simulation {
    std::string file;                    ///< of the document
    std::string title;                   ///< "resnet50 on simba, DDR4-2400"
    std::vector<SimulatedLayer> layers;  ///< those simulated
};

// A document in words and figures before its pictures: cards, tables, notes. Documents of layers have an Overview
// instead (overview.hpp).

struct Card {
    std::string name;
    std::string value;
    std::string about;  ///< its subject; may be empty
};

/// A table with a title.
struct TitledTable {
    std::string title;
    report::Table table;
};

struct Headline {
    std::string title;  ///< of a page without runs
    std::vector<Card> cards;
    std::vector<TitledTable> tables;
    std::vector<std::string> notes = {};
};

struct Figure {
    std::string kind;     ///< "energy", as in `tilewright plot energy`
    std::string caption;  ///< how to read it, one or two sentences
    plot::Chart chart;
    std::string of;  ///< title of its run; "" for all
};

/// Content of one document.
struct Document {
    std::string file;
    std::vector<Run> runs;        ///< of a comparison, one for each accounting
    std::vector<Figure> figures;  ///< the document's own
    std::vector<Simulation> simulations = {};
    std::vector<Headline> headlines = {};  ///< of content that is no run
};

struct FigureKind {
    std::string name;
    std::string summary;  ///< one line for --help
    /// None if the runs lack the inputs.
    std::vector<Figure> (*figures)(const std::vector<Run>& runs);
};

std::span<const FigureKind> figure_kinds();

/// Kinds of figures that come ready made in documents, with one line each.
std::span<const FigureKind> document_figure_kinds();

std::vector<Figure> network_figures(const std::vector<Run>& runs);
std::vector<Figure> energy_figures(const std::vector<Run>& runs);
std::vector<Figure> latency_figures(const std::vector<Run>& runs);
std::vector<Figure> traffic_figures(const std::vector<Run>& runs);
std::vector<Figure> roofline_figures(const std::vector<Run>& runs);
std::vector<Figure> pareto_figures(const std::vector<Run>& runs);
std::vector<Figure> comparison_figures(const std::vector<Run>& runs);

/// All figures of all documents, in the order of figure_kinds(), then the documents' own.
std::vector<Figure> all_figures(const std::vector<Document>& documents);

std::vector<Headline> all_headlines(const std::vector<Document>& documents);

/// The runs of all documents, with distinct titles.
std::vector<Run> all_runs(const std::vector<Document>& documents);

}  // namespace tilewright::views
