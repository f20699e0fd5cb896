// Files of the data-centric notation: networks with dataflows, hardware, or both.
//
// One reader for mapping files, model files, hardware files and the paper's Accelerator block (MAESTRO, Fig. 8);
// grammar in docs/maestro.md. Thread-safe.
// The dataflows of MAESTRO's Table 2 and of its public files by name, for any layer.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "maestro/dataflow/dataflow.hpp"
#include "maestro/files/cursor.hpp"

namespace tilewright::maestro {

struct Document {
    std::string network;                        ///< the last Network's name
    std::vector<dataflow::Layer> layers;        ///< of all Networks, in order
    std::vector<dataflow::Dataflow> dataflows;  ///< `Dataflow NAME { ... }` outside of layers
    std::optional<dataflow::Hardware> hardware;
    std::string accelerator;                 ///< the hardware's name, possibly none; no part of equality
    std::vector<ToolRefusal> tool_refusals;  ///< unreadable to the public tool; no part of equality
    std::vector<ToolRefusal> unused;         ///< read without effect; no part of equality

    bool operator==(const Document& other) const {
        return network == other.network && layers == other.layers && dataflows == other.dataflows &&
               hardware == other.hardware;
    }
};

/// Throws InputError at the first mistake: found and expected token.
Document read(std::string_view bytes, const std::string& file);
/// Several files as one: the layers follow each other. Throws InputError for a second hardware.
Document merge(std::vector<Document> documents);

/// Names the parts without effect. If `strict`, throws InputError for the first.
std::vector<std::string> notes_about(const Document& document, bool strict);

/// In the notation; read() gives an equal document. Requires values of read().
std::string to_text(const Document& document);

struct NamedDataflow {
    std::string name;         ///< "nvdla"
    std::string description;  ///< one line: source and reading
    std::string text;         ///< directives in the notation
};

/// In the order of Table 2, then the public ones.
const std::vector<NamedDataflow>& named_dataflows();

/// Throws InputError(unknown_name) with the nearest name.
dataflow::Dataflow named_dataflow(const std::string& name);

// Layers and dataflows of the data-centric notation.

/// `NAME { Type: ... Stride { ... } Dimensions { ... } Dataflow { ... } }`; the cursor is behind the word Layer.
dataflow::Layer read_layer(Cursor& cursor);
/// `NAME { directives }`; the cursor is behind the word Dataflow.
dataflow::Dataflow read_dataflow(Cursor& cursor);

}  // namespace tilewright::maestro
