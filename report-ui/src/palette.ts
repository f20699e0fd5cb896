// Colours keep their meaning over all views: the program gives every memory and tensor its own (src/report/views/palette.hpp).
import type { Page } from "./data";

/** Of arithmetic, in every view. */
export const kCompute = "#6b7280";

let known: Record<string, string> = {};

export function usePalette(page: Page): void {
  known = page.colours;
}

/** Of roles, where layers call their tensors differently. */
const kRoles: Record<string, string> = { "operand 1": "#3b6fb6", "operand 2": "#2a9d8f", "operand 3": "#8c5a2b", result: "#e0a030" };

export const colourOf = (name: string): string => known[name] ?? kRoles[name] ?? kCompute;

/** Of the page's style sheet, as it is now: light or dark. */
export const variable = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
