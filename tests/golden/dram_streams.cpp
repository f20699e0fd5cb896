#include "dram_streams.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace tilewright::golden {
namespace {

using sim::dram::Clock;

constexpr std::int64_t kSecondTensor = std::int64_t{1} << 26;

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
std::size_t first_difference(const std::vector<Times>& times, const nlohmann::json& recorded) {
    std::size_t i = 0;
    for (; i < times.size(); ++i) {
        if (times[i].accepted != recorded[i][0].get<Clock>()) break;
        if (times[i].done >= 0 && times[i].done != recorded[i][1].get<Clock>()) break;
    }
    return i;
}

}  // namespace

std::vector<Times> replay(const RecordedMemory& recorded, const Stream& stream, bool with_writes) {
    sim::dram::DramMemory memory(recorded.device, recorded.options);
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
            if (with_writes || !done.write) times[done.tag].done = now;
        }
    }
    return times;
}

Stream regular(const std::string& name, int access_bytes) {
    const auto number_after = [&](const std::string& word, int otherwise) {
        const std::size_t at = name.find(word);
        return at == std::string::npos ? otherwise : std::stoi(name.substr(at + word.size()));
    };
    const bool alternating = name == "seq_mix_rw_alt";
    const bool copies = name == "copy_stream";
    const int gap = name == "refresh_span" ? 50 : number_after("_gap", 0);
    const std::int64_t stride = number_after("stride", access_bytes);
    const bool write = name.find("_wr") != std::string::npos;
    const bool whole = name == "seq_rd" || name == "seq_wr" || alternating || copies;
    const std::int64_t count = whole ? 600 : name == "refresh_span" ? 700 : 400;
    Stream stream;
    for (std::int64_t n = 0; n < count; ++n) {
        const bool odd = n % 2 == 1;
        const std::int64_t address = copies ? n / 2 * stride + (odd ? kSecondTensor : 0) : n * stride;
        stream.push_back({n * gap, address % (std::int64_t{1} << 29), write || ((alternating || copies) && odd)});
    }
    return stream;
}

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

int compare_table(const std::string& path, RecordedMemory (*memory_of)(const std::string&), bool with_writes) {
    std::ifstream file(path);
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
        const RecordedMemory recorded = memory_of(memory);
        const Stream requests = regular(stream, recorded.device.organisation.access_bytes());
        EXPECT_EQ(sums(replay(recorded, requests, with_writes)), expected) << memory << ' ' << stream;
        ++compared;
    }
    return compared;
}

int compare_all(const std::string& prefix, RecordedMemory (*memory_of)(const std::string&), bool with_writes) {
    const nlohmann::json streams = json_of(std::filesystem::path(kRecordedStreams) / "streams.json");
    int compared = 0;
    for (const auto& entry : std::filesystem::directory_iterator(kRecordedStreams)) {
        const std::string name = entry.path().stem().string();
        if (!name.starts_with(prefix)) continue;
        const nlohmann::json run = json_of(entry.path());
        const RecordedMemory recorded = memory_of(name.substr(prefix.size()));
        for (const auto& [stream_name, result] : run["results"].items()) {
            const Stream stream = stream_of(streams[run["streams_key"].get<std::string>()][stream_name]);
            const std::vector<Times> times = replay(recorded, stream, with_writes);
            EXPECT_EQ(first_difference(times, result["accept_done"]), stream.size()) << name << ' ' << stream_name;
            ++compared;
        }
    }
    return compared;
}

}  // namespace tilewright::golden
