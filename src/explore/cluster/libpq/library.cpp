#include "explore/cluster/libpq/library.hpp"

#include <dlfcn.h>

#include <string>

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

}  // namespace

const Library& libpq() {
    static const Library kLibrary = loaded();
    return kLibrary;
}

}  // namespace tilewright::cluster
