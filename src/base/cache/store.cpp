#include "base/cache/store.hpp"

#include "base/error.hpp"
#include "base/files/file.hpp"
#include "base/numbers/hash.hpp"

namespace tilewright::cache {
namespace {

constexpr const char* kHead = "tilewright-cache/1 ";

// The length separates key and value, whatever their contents.
std::string body_of(const std::string& key, const std::string& value) {
    return std::to_string(key.size()) + "\n" + key + "\n" + value;
}

}  // namespace

std::filesystem::path Store::file_of(const std::string& key) const { return directory_ / (content_hash(key) + ".txt"); }

Found Store::read(const std::string& key) const {
    Found found;
    found.file = file_of(key);
    std::error_code ignored;
    if (!std::filesystem::exists(found.file, ignored)) return found;
    std::string text;
    try {
        text = read_file(found.file, kAnySize);
    } catch (const InputError&) {
        found.damaged = true;
        return found;
    }
    const std::size_t line = text.find('\n');
    const std::string body = line == std::string::npos ? "" : text.substr(line + 1);
    found.damaged = text.substr(0, line) != kHead + content_hash(body);
    const std::string before = body_of(key, "");
    if (!found.damaged && body.starts_with(before)) found.value = body.substr(before.size());
    return found;
}

void Store::write(const std::string& key, const std::string& value) const {
    std::error_code error;
    std::filesystem::create_directories(directory_, error);
    if (error) throw InputError(ErrorCode::io, {directory_.string()}, "cannot write there: " + error.message());
    const std::string body = body_of(key, value);
    write_file(file_of(key), kHead + content_hash(body) + "\n" + body);
}

}  // namespace tilewright::cache
