// Our memory controller against recorded runs of ramulator2: every request accepted and every read done in the same
// clock.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "ramulator_devices.hpp"

namespace tilewright::golden {
namespace {

using sim::dram::Clock;

struct Offer {
    Clock at = 0;
    std::int64_t address = 0;
    bool write = false;
};
using Stream = std::vector<Offer>;

struct Times {
    Clock accepted = 0;
    Clock done = -1;  ///< of reads

    bool operator==(const Times&) const = default;
};

/// Offers the requests in order, each as soon as it may and is taken.
std::vector<Times> replay(const RecordedMemory& recorded, const Stream& stream) {
    sim::dram::Memory memory(recorded.device, recorded.options);
    std::vector<Times> times(stream.size());
    std::size_t next = 0;
    while (next < stream.size() || !memory.idle()) {
        const Clock now = memory.now();
        while (next < stream.size() && stream[next].at <= now &&
               memory.offer({stream[next].address, stream[next].write, next})) {
            times[next++].accepted = now;
        }
        memory.tick();
        for (const sim::dram::Done& done : memory.completed()) {
            if (!done.write) times[done.tag].done = now;
        }
    }
    return times;
}

// ---- streams that a line describes, from the compact table

Stream regular(const std::string& name, int access_bytes) {
    const auto number_after = [&](const std::string& word, int otherwise) {
        const std::size_t at = name.find(word);
        return at == std::string::npos ? otherwise : std::stoi(name.substr(at + word.size()));
    };
    const int gap = number_after("_gap", 0);
    const std::int64_t stride = number_after("stride", access_bytes);
    const bool write = name.find("_wr") != std::string::npos;
    const std::size_t count = name == "seq_rd" || name == "seq_wr" ? 600 : 400;
    Stream stream;
    for (std::size_t i = 0; i < count; ++i) {
        const auto n = static_cast<std::int64_t>(i);
        stream.push_back({n * gap, n * stride % (std::int64_t{1} << 29), write});
    }
    return stream;
}

/// What ramulator.csv has of a stream.
std::string sums(const std::vector<Times>& times) {
    Clock accepted = 0;
    Clock done = 0;
    Clock weighted = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
        accepted += times[i].accepted;
        if (times[i].done >= 0) done += times[i].done;
        weighted += static_cast<Clock>(i + 1) * (times[i].accepted + 3 * std::max<Clock>(times[i].done, 0));
    }
    std::ostringstream text;
    text << times.size() << ',' << accepted << ',' << done << ',' << weighted;
    return text.str();
}

TEST(Ramulator, RegularStreamsInTheSameClocks) {
    std::ifstream file("tests/golden/dram/ramulator.csv");
    std::string line;
    std::getline(file, line);
    int compared = 0;
    while (std::getline(file, line)) {
        std::istringstream cells(line);
        std::string memory;
        std::string stream;
        std::string expected;
        std::getline(cells, memory, ',');
        std::getline(cells, stream, ',');
        std::getline(cells, expected);
        const RecordedMemory recorded = recorded_memory(memory);
        EXPECT_EQ(sums(replay(recorded, regular(stream, recorded.device.organisation.access_bytes()))), expected)
            << memory << ' ' << stream;
        ++compared;
    }
    EXPECT_GE(compared, 150);
}

// ---- all streams, where they are at hand

const char* const kRecorded = "../shared/golden/noc/dram";

nlohmann::json json_of(const std::filesystem::path& path) {
    std::ifstream file(path);
    return nlohmann::json::parse(file);
}

Stream stream_of(const nlohmann::json& requests) {
    Stream stream;
    for (const nlohmann::json& r : requests) stream.push_back({r[0], r[1], r[2].get<int>() != 0});
    return stream;
}

/// The first request that differs, or the number of requests.
std::size_t first_difference(const std::vector<Times>& times, const Stream& stream, const nlohmann::json& recorded) {
    std::size_t i = 0;
    for (; i < times.size(); ++i) {
        if (times[i].accepted != recorded[i][0].get<Clock>()) break;
        if (!stream[i].write && times[i].done != recorded[i][1].get<Clock>()) break;
    }
    return i;
}

TEST(Ramulator, AllStreamsInTheSameClocks) {
    if (!std::filesystem::exists(kRecorded)) GTEST_SKIP() << "skipped: there is no folder " << kRecorded;
    const nlohmann::json streams = json_of(std::filesystem::path(kRecorded) / "streams.json");
    int compared = 0;
    for (const auto& entry : std::filesystem::directory_iterator(kRecorded)) {
        const std::string name = entry.path().stem().string();
        if (!name.starts_with("ramulator2_")) continue;
        const nlohmann::json run = json_of(entry.path());
        const RecordedMemory recorded = recorded_memory(name);
        for (const auto& [stream_name, result] : run["results"].items()) {
            const Stream stream = stream_of(streams[run["streams_key"].get<std::string>()][stream_name]);
            const std::vector<Times> times = replay(recorded, stream);
            const std::size_t same = first_difference(times, stream, result["accept_done"]);
            EXPECT_EQ(same, stream.size()) << name << ' ' << stream_name;
            ++compared;
        }
    }
    EXPECT_EQ(compared, 414);
}

}  // namespace
}  // namespace tilewright::golden
