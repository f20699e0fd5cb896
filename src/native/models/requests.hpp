// Reads requests.csv: a line of names, then a row for each request.
//
//     input,output,arrival_s,first_token_s,last_token_s
//     2358,531,0.0,0.689,17.570
//
// input and output: tokens. Arrival: queued_s (at the engine), else arrival_s, seconds from any start. first_token_s
// and last_token_s, together, are measurements. Other columns are read over.
#pragma once

#include <string>
#include <vector>

#include "llm/server/requests.hpp"

namespace tilewright::native {

struct RequestFile {
    std::vector<llm::Request> requests;
    std::vector<llm::RequestTimes> measured;  ///< by request; empty: not in the file
};

/// Throws InputError at the line: missing_key for a column, wrong_type or bad_value for a cell.
RequestFile read_requests(const std::string& text, const std::string& file);

}  // namespace tilewright::native
