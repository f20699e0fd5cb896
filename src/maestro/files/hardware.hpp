// Hardware in the data-centric notation: `key: value` pairs, or the paper's Accelerator block.
#pragma once

#include <set>
#include <string>

#include "maestro/dataflow/dataflow.hpp"
#include "maestro/files/cursor.hpp"

namespace tilewright::maestro {

/// Reads hardware piece by piece; refuses duplicates.
class HardwareReader {
   public:
    explicit HardwareReader(Cursor& cursor) : cursor_(cursor) {}

    /// True for num_pes, noc_bw_cstr, ... and their older spellings NumPEs, NoC_BW, ...
    static bool is_key(const Token& token);
    /// `num_pes: 256`; the cursor is at the key.
    void pair();
    /// `{ PE { ... } Buffer { ... } NoC { ... } }`, or XRBench's `NAME { num_pes: ... top_noc_bw: ... }`; the cursor is
    /// behind the word Accelerator.
    void accelerator();

    bool found() const { return found_; }
    const dataflow::Hardware& hardware() const { return hardware_; }
    const std::string& name() const { return name_; }

   private:
    void part(const Token& name);
    void inner_network(const Token& key);
    void set(const Token& key, const std::string& field);

    Cursor& cursor_;
    dataflow::Hardware hardware_;
    std::string name_;
    std::set<std::string> seen_;  ///< fields with a value
    bool found_ = false;
};

/// The pairs of a public hardware file, and ours for the rest.
std::string to_text(const dataflow::Hardware& hardware);

}  // namespace tilewright::maestro
