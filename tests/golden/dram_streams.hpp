// Streams of requests as other simulators of memories were given them, and what a memory does with them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/dram/memory.hpp"

namespace tilewright::golden {

struct RecordedMemory {
    sim::dram::Device device;
    sim::dram::MemoryOptions options;
};

struct Offer {
    sim::dram::Clock at = 0;
    std::int64_t address = 0;
    bool write = false;
};
using Stream = std::vector<Offer>;

struct Times {
    sim::dram::Clock accepted = 0;
    sim::dram::Clock done = -1;  ///< -1: of a write, where those are not compared

    bool operator==(const Times&) const = default;
};

/// Offers the requests in order, each as soon as it may and is taken. Clocks as the recordings count them: those that
/// were over when it happened.
std::vector<Times> replay(const RecordedMemory& recorded, const Stream& stream, bool with_writes);

/// A stream that its name describes.
Stream regular(const std::string& name, int access_bytes);

/// "requests,sum of accepted,sum of done,weighted sum": the columns of the compact tables.
std::string sums(const std::vector<Times>& times);

/// Compares the compact table of one simulator, "memory,stream,sums" a line; says how many streams that were.
int compare_table(const std::string& file, RecordedMemory (*memory_of)(const std::string&), bool with_writes);

// ---- all streams, where they are at hand

inline const char* const kRecordedStreams = "../shared/golden/noc/dram";

/// Compares every stream of the files whose names begin so; says how many streams that were.
int compare_all(const std::string& prefix, RecordedMemory (*memory_of)(const std::string&), bool with_writes);

}  // namespace tilewright::golden
