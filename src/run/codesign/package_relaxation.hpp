// The best of several packages in one: every rate and buffer at its largest, every energy and latency at its least. It
// has every plan of the packages, at no greater cost.
//
// A plan's slots and energy are sums, maxima and products of these numbers, none of which falls when a rate falls or a
// cost rises; room decides by buffers alone. Properties without an order (mesh, places of cores and DRAMs, levels of a
// core, homes of tensors) have to be equal: such packages have one *form*. Chiplets are no part of the form: where they
// differ, every link is as good as the better of both sorts.
#pragma once

#include "package/package.hpp"

namespace tilewright {

/// The same costs of all plans, where a sort of link is between no two routers: such a link is like the other sort.
package::Package with_links_in_use(package::Package package);

/// Takes every better number of `other`. False, and nothing taken: their forms differ. Requires with_links_in_use().
bool relax(package::Package& best, const package::Package& other);

}  // namespace tilewright
