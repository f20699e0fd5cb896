// Any bytes as a certificate of a plan on a package: findings or an InputError, nothing else. Large cascades are only
// read.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "certificate/package/claim.hpp"
#include "libfyaml_leaks.hpp"
#include "native/certificates/package_certificate.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tilewright;
    constexpr std::int64_t kLargest = 4096;
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        const native::PackageCertificateFile file =
            native::read_package_certificate(yaml::parse_text(text, "fuzz.json"));
        const certificate::package_proof::Claim& claim = file.certificate.claim;
        if (claim.package.core_count() > 4) return 0;
        for (const CascadeEinsum& one : claim.cascade.einsums)
            if (operation_count(one.einsum) > kLargest) return 0;
        certificate::package_proof::check(claim, [] { return true; });
    } catch (const InputError&) {
    } catch (const OverflowError&) {
    }
    return 0;
}
