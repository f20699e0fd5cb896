// report.json and its smaller relatives as values: written, read back for pictures, and the source of
// schemas/report-2.schema.json. Dimensions, tensors and memories go by their names. Fields are listed in
// document_fields.hpp. Internal to report/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "report/json.hpp"
#include "report/report.hpp"
#include "report/summary.hpp"

namespace tilewright::document {

struct ShownMemory {
    tilewright::Memory of;
};

struct ShownCompute {
    tilewright::Compute of;
};

struct ShownMachine {
    std::string name;
    std::string technology;
    double cycle_seconds = 0.0;
    double area_um2 = 0.0;
    std::vector<ShownMemory> memories;  ///< outermost first
    ShownCompute compute;
};

ShownMachine machine_of(const Architecture& architecture);

struct Extent {
    std::string name;  ///< of a dimension
    std::int64_t extent = 1;
};

struct Tensor {
    std::string name;
    std::int64_t words = 0;
    bool written = false;
    std::int64_t bits = 0;  ///< of a word; 0: each memory's words
};

struct EinsumText {
    std::string text;
    std::vector<Extent> dimensions;
    std::vector<Tensor> tensors;
};

/// A line of a loop nest: a memory holding tiles from here inwards.
struct StoreLine {
    std::string store;
    std::vector<std::string> tensors;
};

struct LoopLine {
    std::string loop;  ///< its dimension
    std::int64_t extent = 1;
    std::int64_t remainder = 1;
    LoopKind kind = LoopKind::temporal;
};

/// Outermost first.
using Nest = std::vector<std::variant<StoreLine, LoopLine>>;

struct Traffic {
    std::string tensor;
    TensorTraffic of;
};

struct Wires {
    std::string tensor;
    LinkTraffic of;
};

struct MemoryCosts {
    MemoryEvaluation of;  ///< without the parts by tensor
    std::vector<Traffic> tensors;
    std::vector<Wires> link;
};

struct Costs {
    Evaluation of;                                               ///< without the parts by memory
    std::optional<std::string> memory;                           ///< bounding the latency; none: the computing units
    report::LatencyBound bound = report::LatencyBound::compute;  ///< kind of bound
    bool on_vector_unit = false;
    std::string bound_text;
    std::vector<MemoryCosts> memories;  ///< outermost first
};

EinsumText einsum_of(const Einsum& einsum);
Nest nest_of(const Mapping& mapping, const Einsum& einsum, const Architecture& architecture);
Costs costs_of(const Evaluation& evaluation, const Einsum& einsum, bool on_vector_unit = false);

struct Padded {
    std::int64_t from = 1;
    std::int64_t to = 1;
};

struct Padding {
    std::vector<std::pair<std::string, Padded>> dimensions;
    double share = 0.0;  ///< of operations on padding
};

/// A mapping of the Pareto front in energy and latency.
struct FrontPoint {
    double energy_pj = 0.0;
    std::int64_t cycles = 0;
    Nest mapping;
    std::optional<Padding> padding = {};
};

struct Candidate {
    double energy_pj = 0.0;
    std::int64_t cycles = 0;
    std::optional<std::int64_t> simulated_cycles;
    std::string failure;  ///< reason for their absence
    Nest mapping;
};

struct Refinement {
    std::size_t choice = 0;
    double gain = 0.0;
    std::vector<Candidate> candidates;
};

/// One rank of a format of a tensor at a memory.
struct SparseRank {
    std::string format;
    sparse::RankWords most;
    sparse::RankWords expected;
    sparse::RankCounts reads;
    sparse::RankCounts fills;
    sparse::RankCounts updates;
};

struct SparseTensor {
    std::string tensor;
    sparse::TensorCosts of;
    std::vector<SparseRank> ranks;  ///< outermost first
};

struct SparseMemory {
    std::string name;
    std::vector<SparseTensor> tensors;
};

struct SparseDensity {
    std::string tensor;
    sparse::TensorDensity of;
};

/// Savings of sparse optimisations: by component, the compute units last.
struct SparseSavings {
    double dense_energy_pj = 0.0;
    std::int64_t dense_cycles = 0;
    std::vector<std::pair<std::string, sparse::Saved>> components;
    double elsewhere_pj = 0.0;
};

/// Accesses and computes by outcome on a machine with sparse optimisations.
struct SparseCosts {
    std::int64_t algorithmic_computes = 0;
    sparse::Counts computes;
    std::vector<SparseMemory> memories;  ///< outermost first
    std::vector<SparseDensity> densities;
    std::optional<SparseSavings> savings;
};

/// One layer shape, with all its layers.
struct Layer {
    std::string name;
    std::vector<std::string> same_shape;
    std::string op;
    std::int64_t repeats = 1;
    EinsumText einsum;
    std::vector<std::pair<std::string, std::int64_t>> partial_bits;  ///< by tensor
    std::optional<Padding> padding;
    std::vector<std::string> failures;  ///< if there are no costs
    std::optional<Nest> mapping;
    std::optional<Costs> evaluation;
    std::vector<FrontPoint> front;
    std::optional<SearchSummary> search;
    std::optional<Refinement> refinement;
    std::optional<SparseCosts> sparse;
    std::optional<report::AsBuilt> as_built;
    std::string not_as_built = {};
};

/// "tilewright-report"
struct Report {
    report::Provenance provenance;
    bool interrupted = false;
    std::vector<std::string> notes;
    ShownMachine architecture;
    std::string network;
    std::vector<UnmappedOperator> unmapped;
    report::Totals totals;
    std::optional<report::Summary> summary;  ///< absent in documents of earlier versions
    std::vector<report::WhatIf> what_if;
    std::vector<Layer> layers;
};

/// "tilewright-comparison"
struct Comparison {
    report::Provenance provenance;
    std::vector<std::string> notes;
    ShownMachine architecture;
    EinsumText einsum;
    std::optional<Nest> mapping;
    std::vector<std::pair<std::string, Costs>> evaluations;  ///< by accounting
};

struct ShownLayer {
    std::string name;
    std::string op;
    std::int64_t repeats = 1;
    std::int64_t computes = 0;
    EinsumText einsum;
};

struct ShownNetwork {
    std::string name;
    std::vector<ShownLayer> layers;
    std::vector<UnmappedOperator> unmapped;
};

/// "tilewright-show"
struct Shown {
    std::optional<ShownMachine> architecture;
    std::optional<ShownNetwork> network;
};

/// "tilewright-check"
struct Checked {
    std::vector<std::string> sound;
    std::vector<report::CheckProblem> problems;
};

Report document_of(const report::Report& report);

}  // namespace tilewright::document
