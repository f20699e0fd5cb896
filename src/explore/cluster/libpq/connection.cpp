#include "explore/cluster/libpq/connection.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <set>

#include "base/error.hpp"

namespace tilewright::cluster {
namespace {

[[noreturn]] void fail_to_load() {
    const char* const words = dlerror();
    throw InputError(
        ErrorCode::unsupported, {"--store"},
        "a store in PostgreSQL needs libpq 14 or newer (Debian: apt-get install libpq5), or take an SQLite "
        "file: " +
            std::string(words == nullptr ? "no words of the loader" : words));
}

template <typename Function>
void find(void* library, const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(library, name));
    if (function == nullptr) fail_to_load();
}

Library loaded() {
    // By the name of its interface, the same since PostgreSQL 8. Never closed: its functions stay in use.
    void* const file = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (file == nullptr) fail_to_load();
    Library library{};
    find(file, "PQclear", library.PQclear);
    find(file, "PQcmdTuples", library.PQcmdTuples);
    find(file, "PQconnectdbParams", library.PQconnectdbParams);
    find(file, "PQconninfoFree", library.PQconninfoFree);
    find(file, "PQconninfoParse", library.PQconninfoParse);
    find(file, "PQconsumeInput", library.PQconsumeInput);
    find(file, "PQerrorMessage", library.PQerrorMessage);
    find(file, "PQescapeIdentifier", library.PQescapeIdentifier);
    find(file, "PQexec", library.PQexec);
    find(file, "PQexecParams", library.PQexecParams);
    find(file, "PQfinish", library.PQfinish);
    find(file, "PQfreemem", library.PQfreemem);
    find(file, "PQgetisnull", library.PQgetisnull);
    find(file, "PQgetlength", library.PQgetlength);
    find(file, "PQgetResult", library.PQgetResult);
    find(file, "PQgetvalue", library.PQgetvalue);
    find(file, "PQnfields", library.PQnfields);
    find(file, "PQnotifies", library.PQnotifies);
    find(file, "PQntuples", library.PQntuples);
    find(file, "PQputCopyData", library.PQputCopyData);
    find(file, "PQputCopyEnd", library.PQputCopyEnd);
    find(file, "PQresultErrorField", library.PQresultErrorField);
    find(file, "PQresultErrorMessage", library.PQresultErrorMessage);
    find(file, "PQresultStatus", library.PQresultStatus);
    find(file, "PQsetNoticeProcessor", library.PQsetNoticeProcessor);
    find(file, "PQstatus", library.PQstatus);
    return library;
}

std::string trimmed(const char* text) {
    std::string words = text == nullptr ? "" : text;
    while (!words.empty() && (words.back() == '\n' || words.back() == ' ')) words.pop_back();
    std::replace(words.begin(), words.end(), '\n', ' ');
    return words;
}

// A server shut down, crashed, starting up, or full; and a transaction aborted for another's sake. (PostgreSQL 15,
// appendix A.)
bool passes(std::string_view state) {
    static const std::set<std::string_view> kPassing = {"57P01", "57P02", "57P03", "53300", "40001", "40P01"};
    return kPassing.contains(state) || state.starts_with("08");
}

struct FreeOptions {
    void operator()(PQconninfoOption* options) const { libpq().PQconninfoFree(options); }
};

template <typename Unsigned>
void append_big_endian(std::string& buffer, Unsigned value) {
    for (int shift = static_cast<int>(sizeof value) * 8 - 8; shift >= 0; shift -= 8)
        buffer += static_cast<char>(static_cast<unsigned char>(value >> shift));
}

std::uint64_t big_endian(const char* bytes, int size) {
    std::uint64_t value = 0;
    for (int i = 0; i < size; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
}

// Values of the URL override these: libpq takes the last one.
PGconn* connected(const std::string& url) {
    static constexpr std::array<const char*, 6> kNames{
        "connect_timeout", "tcp_user_timeout", "fallback_application_name", "client_encoding", "dbname", nullptr};
    const std::array<const char*, 6> values{"10", "30000", "tilewright", "UTF8", url.c_str(), nullptr};
    return libpq().PQconnectdbParams(kNames.data(), values.data(), 1);
}

}  // namespace

const Library& libpq() {
    static const Library kLibrary = loaded();
    return kLibrary;
}

Address parse_address(const std::string& url) {
    char* words = nullptr;
    const std::unique_ptr<PQconninfoOption, FreeOptions> options(libpq().PQconninfoParse(url.c_str(), &words));
    libpq().PQfreemem(words);  // may hold what must not be shown
    if (!options)
        throw InputError(ErrorCode::bad_value, {"--store"},
                         "expected a URL such as postgresql://HOST/DATABASE or postgresql://?service=NAME, found what "
                         "libpq cannot read");
    const auto value = [&](const std::string& name) -> std::string {
        for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option)
            if (name == option->keyword && option->val != nullptr) return option->val;
        return "";
    };
    if (!value("password").empty() || !value("sslpassword").empty())
        throw InputError(
            ErrorCode::usage, {"--store"},
            "a password in the URL is seen by everybody who lists the processes: put it into the file that "
            "PGPASSFILE names (~/.pgpass), a service file (PGSERVICE) or PGPASSWORD");
    std::string shown = "postgresql://" + value("host");
    if (!value("port").empty()) shown += ":" + value("port");
    if (!value("dbname").empty()) shown += "/" + value("dbname");
    if (!value("service").empty()) shown += "?service=" + value("service");
    return {url, shown};
}

std::string Result::text(int row, int column) const {
    return {libpq().PQgetvalue(handle_.get(), row, column),
            static_cast<std::size_t>(libpq().PQgetlength(handle_.get(), row, column))};
}

std::int64_t Result::whole(int row, int column) const {
    const std::string digits = text(row, column);
    std::int64_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
}

std::int64_t Result::touched() const {
    const std::string digits = libpq().PQcmdTuples(handle_.get());
    std::int64_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
}

std::int64_t Result::binary_whole(int row, int column) const {
    const int size = libpq().PQgetlength(handle_.get(), row, column);
    const std::uint64_t bits = big_endian(libpq().PQgetvalue(handle_.get(), row, column), size);
    if (size == 2) return static_cast<std::int16_t>(bits);
    if (size == 4) return static_cast<std::int32_t>(bits);
    return static_cast<std::int64_t>(bits);
}

double Result::binary_real(int row, int column) const {
    return std::bit_cast<double>(big_endian(libpq().PQgetvalue(handle_.get(), row, column), 8));
}

Connection::Connection(Address address) : address_(std::move(address)), handle_(connected(address_.url)) {
    if (is_lost())
        throw InputError(ErrorCode::io, {address_.shown},
                         "no connection: " + trimmed(libpq().PQerrorMessage(handle_.get())));
    libpq().PQsetNoticeProcessor(handle_.get(), [](void*, const char*) {}, nullptr);
}

void Connection::renew() {
    handle_.reset(connected(address_.url));
    if (is_lost()) throw Lost(trimmed(libpq().PQerrorMessage(handle_.get())));
    libpq().PQsetNoticeProcessor(handle_.get(), [](void*, const char*) {}, nullptr);
}

void Connection::fail(const PGresult* result) const {
    const std::string words = trimmed(result != nullptr && libpq().PQresultErrorMessage(result)[0] != '\0'
                                          ? libpq().PQresultErrorMessage(result)
                                          : libpq().PQerrorMessage(handle_.get()));
    const char* state = result == nullptr ? nullptr : libpq().PQresultErrorField(result, PG_DIAG_SQLSTATE);
    if (is_lost() || (state != nullptr && passes(state))) throw Lost(words);
    throw InputError(ErrorCode::io, {address_.shown}, "PostgreSQL says: " + words);
}

Result Connection::query(const std::string& sql, const std::vector<Parameter>& parameters, Format format) {
    std::vector<const char*> values;
    std::vector<int> sizes;
    std::vector<int> formats;
    for (const Parameter& parameter : parameters) {
        values.push_back(parameter.data());
        sizes.push_back(parameter.size());
        formats.push_back(parameter.is_binary() ? 1 : 0);
    }
    Result result(libpq().PQexecParams(handle_.get(), sql.c_str(), static_cast<int>(values.size()), nullptr,
                                       values.data(), sizes.data(), formats.data(), format == Format::binary ? 1 : 0));
    const ExecStatusType status = libpq().PQresultStatus(result.handle());
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK && status != PGRES_COPY_IN) fail(result.handle());
    return result;
}

void Connection::run(const std::string& sql) {
    const Result result(libpq().PQexec(handle_.get(), sql.c_str()));
    const ExecStatusType status = libpq().PQresultStatus(result.handle());
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK && status != PGRES_EMPTY_QUERY) fail(result.handle());
}

std::string Connection::quoted(const std::string& name) const {
    const std::unique_ptr<char, void (*)(void*)> text(
        libpq().PQescapeIdentifier(handle_.get(), name.data(), name.size()), libpq().PQfreemem);
    if (!text) fail(nullptr);
    return text.get();
}

std::vector<std::string> Connection::notifications() {
    std::vector<std::string> payloads;
    if (libpq().PQconsumeInput(handle_.get()) == 0) return payloads;  // the next query finds out why
    struct Free {
        void operator()(PGnotify* notification) const { libpq().PQfreemem(notification); }
    };
    while (const std::unique_ptr<PGnotify, Free> one{libpq().PQnotifies(handle_.get())})
        payloads.emplace_back(one->extra);
    return payloads;
}

Transaction::Transaction(Connection& connection, Wants wants) : connection_(connection) {
    connection_.run(wants == Wants::to_write ? "BEGIN" : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
}

Transaction::~Transaction() {
    if (open_ && !connection_.is_lost()) libpq().PQclear(libpq().PQexec(connection_.handle(), "ROLLBACK"));
}

void Transaction::commit() {
    connection_.run("COMMIT");
    open_ = false;
}

BulkLoad::BulkLoad(Connection& connection, const std::string& target) : connection_(connection) {
    const Result started(connection_.query("COPY " + target + " FROM STDIN (FORMAT binary)"));
    buffer_.assign("PGCOPY\n\377\r\n\0", 11);
    append_big_endian(buffer_, std::uint32_t{0});  // flags
    append_big_endian(buffer_, std::uint32_t{0});  // no extension of the header
}

void BulkLoad::begin_row(int columns) {
    constexpr std::size_t kEnough = 1 << 18;
    if (buffer_.size() > kEnough) send();
    append_big_endian(buffer_, static_cast<std::uint16_t>(columns));
}

void BulkLoad::add_small(std::int16_t value) {
    append_big_endian(buffer_, std::uint32_t{2});
    append_big_endian(buffer_, static_cast<std::uint16_t>(value));
}

void BulkLoad::add_whole(std::int64_t value) {
    append_big_endian(buffer_, std::uint32_t{8});
    append_big_endian(buffer_, static_cast<std::uint64_t>(value));
}

void BulkLoad::add_real(double value) {
    append_big_endian(buffer_, std::uint32_t{8});
    append_big_endian(buffer_, std::bit_cast<std::uint64_t>(value));
}

void BulkLoad::add_text(std::string_view value) {
    append_big_endian(buffer_, static_cast<std::uint32_t>(value.size()));
    buffer_ += value;
}

void BulkLoad::add_null() { append_big_endian(buffer_, ~std::uint32_t{0}); }

void BulkLoad::send() {
    if (libpq().PQputCopyData(connection_.handle(), buffer_.data(), static_cast<int>(buffer_.size())) != 1)
        connection_.fail(nullptr);
    buffer_.clear();
}

void BulkLoad::finish() {
    append_big_endian(buffer_, static_cast<std::uint16_t>(-1));
    send();
    if (libpq().PQputCopyEnd(connection_.handle(), nullptr) != 1) connection_.fail(nullptr);
    const Result result(libpq().PQgetResult(connection_.handle()));
    while (PGresult* more = libpq().PQgetResult(connection_.handle())) libpq().PQclear(more);
    if (libpq().PQresultStatus(result.handle()) != PGRES_COMMAND_OK) connection_.fail(result.handle());
}

}  // namespace tilewright::cluster
