// Numbers of ours that are not what another tool recorded.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tilewright::golden {

struct Difference {
    std::string name;  ///< "psum_spad.Outputs.scalar_reads_per_instance"
    std::string ours;
    std::string theirs;
};

/// Compares numbers with recorded ones and keeps those that differ.
class Differences {
   public:
    static constexpr double kTolerance = 1e-9;

    /// Exact.
    void count(const std::string& name, std::int64_t ours, const nlohmann::json& theirs);
    void exactly(const std::string& name, double ours, const nlohmann::json& theirs);
    /// Equal but for the last digit, where the order of divisions shows.
    void ratio(const std::string& name, double ours, const nlohmann::json& theirs);
    /// To a relative kTolerance (absolute below 1).
    void close(const std::string& name, double ours, const nlohmann::json& theirs);
    void text(const std::string& name, const std::string& ours, const std::string& theirs);
    /// Anything that is no comparison of two numbers: a missing entry, an exception.
    void problem(const std::string& name, const std::string& what);

    const std::vector<Difference>& all() const { return all_; }
    bool empty() const { return all_.empty(); }

   private:
    std::vector<Difference> all_;
};

/// "a.b: ours 3, theirs 4; ... (5 more)" with at most `most` entries.
std::string to_text(const std::vector<Difference>& differences, std::size_t most);

}  // namespace tilewright::golden
