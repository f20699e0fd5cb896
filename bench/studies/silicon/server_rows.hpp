// Measured servers (servers.csv of golden/silicon2) as questions to a server: layout, words, load.
//
// Two facts of the table (its README): equal parallel sizes of experts above 1 are products, and a tensor parallel size
// above 8 stands for attention on ranks of their own with the experts over all devices.
#pragma once

#include <optional>
#include <string>

#include "llm/server/best.hpp"
#include "table.hpp"

namespace tilewright::silicon_study {

struct ServerRow {
    std::string machine;  ///< "h200-sxm", of the zoo
    std::string engine;
    std::string model;  ///< as the table calls it
    llm::Deployment deployment;
    llm::ServedWords words;
    llm::Load load;
    double tpot_us = 0.0;
    std::optional<double> ttft_us;
};

/// Empty for machines and models without a prediction, and for groups apart of unknown number.
std::optional<ServerRow> server_row(const Table& rows, std::size_t row, const DecoderSizes& sizes);

/// The zoo's or a published model's sizes; empty for an unknown one.
std::optional<DecoderSizes> sizes_of(const std::string& model);

}  // namespace tilewright::silicon_study
