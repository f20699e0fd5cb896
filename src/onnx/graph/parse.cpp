#include "onnx/graph/parse.hpp"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/stubs/logging.h>

#include <cstdint>
#include <limits>
#include <optional>

namespace tilewright::onnx {
namespace {

/// Walks the outermost fields of a protobuf message up to the first fault.
class WireReader {
   public:
    explicit WireReader(std::string_view bytes) : bytes_(bytes) {}

    /// The first fault in words, or "" if the outermost fields are sound.
    std::string first_fault() {
        while (at_ < bytes_.size()) {
            const std::size_t start = at_;
            const std::optional<std::uint64_t> tag = varint();
            const std::string fault =
                tag && *tag >> 3 != 0 ? skip_field(static_cast<int>(*tag & 7)) : "not a protobuf field";
            if (!fault.empty()) return "at byte " + std::to_string(start) + ": " + fault;
        }
        return "";
    }

   private:
    std::optional<std::uint64_t> varint() {
        std::uint64_t value = 0;
        for (int shift = 0; shift < 64 && at_ < bytes_.size(); shift += 7) {
            const auto byte = static_cast<unsigned char>(bytes_[at_++]);
            value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
            if ((byte & 0x80) == 0) return value;
        }
        return std::nullopt;
    }

    std::string skip_field(int wire_type) {
        constexpr int kVarint = 0, kFixed64 = 1, kLengthDelimited = 2, kFixed32 = 5;
        if (wire_type == kVarint) return varint() ? "" : "a number that does not end";
        if (wire_type == kFixed64) return skip(8);
        if (wire_type == kFixed32) return skip(4);
        if (wire_type != kLengthDelimited) return "not a protobuf field";
        const std::optional<std::uint64_t> size = varint();
        return size ? skip(*size) : "a length that does not end";
    }

    std::string skip(std::uint64_t size) {
        const std::uint64_t left = bytes_.size() - at_;
        if (size > left)
            return "a field of " + std::to_string(size) + " bytes, but only " + std::to_string(left) +
                   " are left; is the file truncated?";
        at_ += size;
        return "";
    }

    std::string_view bytes_;
    std::size_t at_ = 0;
};

void check_model(const pb::ModelProto& model, const std::string& file) {
    if (!model.has_graph())
        fail(file, ErrorCode::syntax, "not an ONNX model: it has no graph (expected a protobuf ModelProto)");
    if (model.ir_version() < 1) fail(file, ErrorCode::syntax, "not an ONNX model: it has no ir_version");
    constexpr std::int64_t kMostVersion = 100;  // of ONNX itself: 26 after ten years
    for (const pb::OperatorSetIdProto& opset : model.opset_import()) {
        const std::int64_t most = is_standard_domain(opset.domain()) ? kMostVersion : std::numeric_limits<int>::max();
        if (opset.version() < 1 || opset.version() > most)
            fail(file, ErrorCode::bad_value,
                 "operator set " + in_quotes(opset.domain()) + " has version " + std::to_string(opset.version()) +
                     "; expected one from 1 to " + std::to_string(most));
    }
    constexpr int kFirstWithOperatorSets = 3;
    if (model.ir_version() >= kFirstWithOperatorSets && model.opset_import_size() == 0)
        fail(file, ErrorCode::syntax, "the model imports no operator set; is the file truncated?");
    if (model.graph().node_size() == 0) fail(file, ErrorCode::bad_value, "the graph has no nodes");
}

}  // namespace

bool is_standard_domain(std::string_view domain) { return domain.empty() || domain == "ai.onnx"; }

int opset_version(const pb::ModelProto& model) {
    int version = 1;
    for (const pb::OperatorSetIdProto& opset : model.opset_import())
        if (is_standard_domain(opset.domain())) version = static_cast<int>(opset.version());
    return version;
}

void refuse_oversize(std::uintmax_t bytes, const std::string& file) {
    if (bytes > static_cast<std::uintmax_t>(std::numeric_limits<int>::max()))
        fail(file, ErrorCode::unsupported,
             "the file is larger than 2 GiB, the most protobuf can hold; store the weights as external data");
}

pb::ModelProto parse_model(std::string_view bytes, const std::string& file) {
    if (bytes.empty()) fail(file, ErrorCode::syntax, "the file is empty; expected an ONNX model");
    refuse_oversize(bytes.size(), file);
    const google::protobuf::LogSilencer silence;
    pb::ModelProto model;
    google::protobuf::io::CodedInputStream in(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                              static_cast<int>(bytes.size()));
    if (!model.ParseFromCodedStream(&in) || !in.ConsumedEntireMessage()) {
        const std::string fault = WireReader(bytes).first_fault();
        fail(file, ErrorCode::syntax,
             "not an ONNX model: " +
                 (fault.empty() ? "a message inside its " + std::to_string(bytes.size()) + " bytes is malformed"
                                : fault));
    }
    check_model(model, file);
    return model;
}

}  // namespace tilewright::onnx
