#include "explore/audit.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>

#include "base/error.hpp"
#include "base/numbers/hash.hpp"

namespace tilewright::explore {
namespace {

void append_whole(std::string& bytes, std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(static_cast<unsigned char>(bits >> shift));
}

std::int64_t checksum_in(const std::string& bytes) {
    const std::string digits = content_hash(bytes).substr(0, 16);
    std::uint64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
    return static_cast<std::int64_t>(number);
}

/// Texts in sequence, each with its length: boundaries are sealed too.
class Seal {
   public:
    Seal& add(std::string_view text) {
        std::string size;
        append_whole(size, static_cast<std::int64_t>(text.size()));
        hasher_.add(size);
        hasher_.add(text);
        return *this;
    }
    std::string digest() const { return hasher_.digest(); }

   private:
    Hasher hasher_;
};

}  // namespace

std::int64_t checksum_of(const Row& row) {
    std::string bytes;
    append_whole(bytes, row.point);
    append_whole(bytes, static_cast<std::int64_t>(row.status));
    for (const double value : row.values) append_whole(bytes, std::bit_cast<std::int64_t>(value + 0.0));
    return checksum_in(bytes + row.message);
}

std::int64_t checksum_of(const ChunkRecord& record) {
    std::string bytes;
    const Counts& counts = record.counts;
    for (const std::int64_t value : {record.chunk.id, record.chunk.lo, record.chunk.hi, counts.evaluated,
                                     counts.skipped, counts.valid, counts.over_limit, counts.failed, record.rows})
        append_whole(bytes, value);
    return checksum_in(bytes);
}

std::string seal_of(const std::map<std::string, std::string>& entries, const Space& space,
                    const std::vector<Metric>& metrics, const std::vector<std::size_t>& front) {
    Seal seal;
    for (const auto& [key, value] : entries) seal.add(key).add(value);
    for (const Knob& knob : space.knobs()) {
        seal.add("knob").add(knob.name);
        for (const std::string& value : knob.values) seal.add(value);
    }
    for (const Metric& metric : metrics)
        seal.add("metric").add(metric.name).add(metric.alias).add(metric.more_is_better ? "more" : "less");
    for (const std::size_t metric : front) seal.add("front").add(std::to_string(metric));
    return seal.digest();
}

std::string seal_of(const Specification& specification, const std::vector<std::size_t>& front) {
    std::map<std::string, std::string> entries;
    for (const auto& [key, value] : identity(specification)) entries.emplace(key, value);
    return seal_of(entries, specification.space, specification.metrics, front);
}

std::string seal_of(const WorkOrder& order) {
    Seal seal;
    seal.add(order.folder);
    for (const std::string& argument : order.arguments) seal.add("argument").add(argument);
    std::map<std::string_view, std::string_view> files;
    for (const WorkOrder::File& file : order.files) files.emplace(file.name, file.bytes);
    for (const auto& [name, bytes] : files) seal.add("file").add(name).add(bytes);
    return seal.digest();
}

void fail_damaged(const std::string& store, const std::string& what) {
    throw InputError(
        ErrorCode::bad_value, {store},
        "is damaged: " + what + " (checksums differ): take a copy of it, or explore anew with another --store");
}

void Audit::take(const ChunkRecord& record, std::int64_t checksum) {
    if (record.chunk.lo != next_chunk_ || record.chunk.hi <= record.chunk.lo || record.chunk.hi > points_)
        fail_damaged(store_, fmt::format("the points from {} on are in no chunk, or in two", next_chunk_));
    next_chunk_ = record.chunk.hi;
    if (!record.done) return;
    if (checksum != checksum_of(record))
        fail_damaged(store_, fmt::format("what was counted of points {} to {} is not what was written", record.chunk.lo,
                                         record.chunk.hi - 1));
    expected_ += record.rows;
}

void Audit::take(const Row& row, std::int64_t checksum) {
    if (row.point < next_row_ || row.point >= points_ || checksum != checksum_of(row))
        fail_damaged(store_, fmt::format("the row of point {} is not what was written", row.point));
    next_row_ = row.point + 1;
    ++rows_;
}

void Audit::finish() const {
    if (next_chunk_ != points_) fail_damaged(store_, fmt::format("the points from {} on are in no chunk", next_chunk_));
    if (rows_ != expected_)
        fail_damaged(store_, fmt::format("it holds {} rows of the {} that were written", rows_, expected_));
}

}  // namespace tilewright::explore
