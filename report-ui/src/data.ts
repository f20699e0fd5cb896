// The values of a page. Their types follow from the program's own list of their fields (src/report/page/data.cpp).

import type { Figure, Page } from "./types";

export type * from "./types";
export type Chart = Figure["chart"];

export function readPage(): Page {
  return JSON.parse(document.getElementById("data")!.textContent!) as Page;
}
