// AccelForge's input files as one tree: Jinja templates are expanded, and files merge by top-level keys: arch,
// workload, mapping, renames, variables; config, mapper and model are skipped.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "accelforge/values/mapping.hpp"
#include "accelforge/values/workload.hpp"
#include "yaml/jinja/jinja.hpp"
#include "yaml/node.hpp"

namespace tilewright::accelforge {

/// Whether a text (with unexpanded templates) is a file of AccelForge's.
bool is_accelforge(std::string_view text);

/// Throws InputError: a top-level key in two files, an unknown one, and errors of Jinja and YAML.
yaml::Node load(const std::vector<std::filesystem::path>& files, const jinja::Settings& settings = {});
yaml::Node load_text(std::string_view text, const std::string& file = "<text>", const jinja::Settings& settings = {});

// Reads AccelForge's workloads: the sections `workload` and `renames`.
//
//     workload:
//       rank_sizes: {M: 128, K: 64, N: 32}
//       bits_per_value: {All: 8, weight: 4}
//       einsums:
//       - "Y[m, n] = X[m, k] * W[k, n]"
//       - {name: Z, tensor_accesses: [{name: Y, projection: [m, n]}, {name: Z, projection: [m, n], output: True}]}

/// `root` is a loaded tree. Throws InputError at its place.
Workload read_workload(const yaml::Node& root);

// Reads AccelForge's mappings: the section `mapping`, a tree of !Storage, !Toll, !Temporal, !Spatial, !Sequential,
// !Pipeline, !Nested, !Compute and !Reservation nodes.

/// `root` is a loaded tree. Reservations are left out, as in AccelForge. Throws InputError at its place.
MappingTree read_mapping(const yaml::Node& root);

}  // namespace tilewright::accelforge
