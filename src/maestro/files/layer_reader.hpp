// Layers and dataflows of the data-centric notation.
#pragma once

#include "maestro/dataflow/dataflow.hpp"
#include "maestro/files/cursor.hpp"

namespace tilewright::maestro {

/// `NAME { Type: ... Stride { ... } Dimensions { ... } Dataflow { ... } }`; the cursor is behind the word Layer.
dataflow::Layer read_layer(Cursor& cursor);
/// `NAME { directives }`; the cursor is behind the word Dataflow.
dataflow::Dataflow read_dataflow(Cursor& cursor);

}  // namespace tilewright::maestro
