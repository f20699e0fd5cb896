// What is shown of an exploration: the rows that were asked for, as a table, a file or pictures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "explore/store.hpp"
#include "options/options.hpp"

namespace tilewright::cli {

/// Which rows are shown, and where they go.
struct ShowOptions {
    std::vector<std::string> pareto;
    std::string best;
    std::optional<std::int64_t> top;
    std::vector<std::string> where;
    std::string directory;
    bool json = false;
    std::string csv;
    std::string json_lines;
    std::string html;
    std::string svg;
    std::string color;
    bool quiet = false;

    void declare(Options& options);
    /// -o, which stands with the store.
    void declare_directory(Options& options);
    /// The metrics of --best or --pareto; none where neither is given. Throws InputError(unknown_name).
    std::vector<std::size_t> objectives(const std::vector<explore::Metric>& metrics) const;
    /// Rows are selected or written somewhere.
    bool writes_rows() const {
        return top || !where.empty() || !csv.empty() || !json_lines.empty() || !html.empty() || !svg.empty();
    }
    /// Ends the program where they contradict each other.
    void check() const;
};

/// Prints and writes what was asked for.
void present(explore::Store& store, const explore::Specification& specification, const std::string& title,
             const ShowOptions& show, std::vector<std::string> notes);

}  // namespace tilewright::cli
