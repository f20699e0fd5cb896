// Colours keep their meaning over all views: the program gives every memory and tensor its own (src/report/views/parts.hpp).
import type { Page } from "./data";

/** Of arithmetic, in every view. */
export const kCompute = "#6b7280";
/** Of operations on a vector unit. */
export const kVector = "#4f7f8c";

let known: Record<string, string> = {};

export function usePalette(page: Page): void {
  known = page.colours;
}

/** Of roles, where layers call their tensors differently. */
const kRoles: Record<string, string> = { "operand 1": "#3b6fb6", "operand 2": "#2a9d8f", "operand 3": "#8c5a2b", result: "#e0a030", leakage: "#a89f91", "compute units": kCompute, "vector unit": kVector };

/** Of what has no colour of its own: in order of first use, so that no two parts look alike. */
const kOthers = ["#6fae3c", "#63b3dd", "#b5533c", "#783ca5", "#a5c34b", "#874b4b", "#1e6969", "#ff7869"];
const others = new Map<string, string>();

function otherColour(name: string): string {
  const colour = others.get(name) ?? kOthers[others.size % kOthers.length]!;
  others.set(name, colour);
  return colour;
}

export const colourOf = (name: string): string => known[name] ?? kRoles[name] ?? otherColour(name);

/** Of the page's style sheet, as it is now: light or dark. */
export const variable = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
