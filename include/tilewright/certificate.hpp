// SPDX-License-Identifier: Apache-2.0
// check_certificate(): proves again what a certificate of `tilewright map`, or of `explore --prove`, claims.
//
//     const CertificateVerdict verdict = check_certificate(text, "out/certificate.json");
//     for (const CertificateProblem& problem : verdict.problems) std::cerr << problem.message << '\n';
//
// The checker shares no counts with the searches (docs/certificate.md). Thread-safe: values in, values out. Throws
// InputError for what is no certificate.
#pragma once

#include "run/check/certificates.hpp"
