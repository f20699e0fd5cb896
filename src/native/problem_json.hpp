// Parts of a mapping problem as JSON and back. Readers throw InputError at the value's place. Internal to native.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/mapping.hpp"
#include "mapspace/constraints.hpp"
#include "sparse/design.hpp"
#include "workload/einsum.hpp"
#include "yaml/reader.hpp"
#include "yaml/writer.hpp"

namespace tilewright::native {

using yaml::Choice;
using yaml::Json;
using yaml::list_of;
using yaml::Reader;
using yaml::Writer;

/// In one line, or with `indent` spaces a level. Non-UTF-8 bytes are replaced.
std::string text_of(const Json& json, int indent = -1);

Json json_of(const Architecture& architecture);
Architecture architecture_of(const yaml::Node& node);

/// Parts of a machine; meshes are those of all levels.
Json json_of(const Memory& memory);
Memory memory_of(const yaml::Node& node);
Json json_of(const Compute& compute);
Compute compute_of(const yaml::Node& node);
Json json_of(const std::vector<Mesh>& meshes);
std::vector<Mesh> meshes_of(const yaml::Node& node);

Json json_of(const Einsum& einsum);
Einsum einsum_of(const yaml::Node& node);

Json json_of(const Constraints& constraints, const Einsum& einsum);
/// `levels`: of the machine's memories.
Constraints constraints_of(const yaml::Node& node, const Einsum& einsum, int levels);

Json json_of(const Mapping& mapping, const Einsum& einsum, const Architecture& architecture);
Mapping mapping_of(const yaml::Node& node, const Einsum& einsum, const Architecture& architecture);

/// The text of a certificate, sealed by the hash of all else in it.
std::string sealed_text(Json json);
bool seal_holds(const yaml::Node& root, const Json& unsealed);
/// The version of the cost model that a certificate names.
int model_version_of(const yaml::Node& root);
/// The places of values in maps and lists, by path ("tree.12.layers.3"), so many levels down.
void note_places(const yaml::Node& node, const std::string& path, int levels, std::map<std::string, Location>& places);

// A machine's sparse design for a layer as JSON and back. Internal to native.

Json json_of(const sparse::Design& design);

/// Of a machine with this number of memories. Throws InputError at an invalid place. Tensors with elements at known
/// places (banded, measured) are not read.
sparse::Design design_of(const yaml::Node& node, const Einsum& einsum, int memories);

}  // namespace tilewright::native
