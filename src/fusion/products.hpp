// The least product of energy and cycles by weighted proofs.
//
// Over any set of mappings the product is least at a corner of the convex hull of their energies and cycles, and every
// corner has the least of some weighted sum. A proven sum is a line under which nothing lies. Where two neighbouring
// lines meet above the hyperbola of the best product found, nothing is left between them; elsewhere one more line is
// proven. (The tangent at the best point alone proves nothing: it finds local optima.)
#pragma once

#include "fusion/search.hpp"

namespace tilewright::fusion {

/// `bound` is of the product.
Best least_product(Search& search, const Known& known);

}  // namespace tilewright::fusion
