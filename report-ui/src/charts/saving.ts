// The buttons of a chart: save it as SVG or PNG, copy its numbers.
import { button, copyButton, fileName, save } from "../buttons";
import { el } from "../dom";
import { pngOf, svgOf } from "./drawings";
import type { Option } from "./frame";

/** All are asked when a button is pressed: what is shown may have changed. */
export function saveButtons(title: () => string, option: () => Option, numbers: () => string): HTMLElement {
  const name = (ending: string): string => `${fileName(title())}.${ending}`;
  return el(
    "div",
    { class: "tools", role: "group", "aria-label": "Save or copy" },
    button("SVG", `Save as SVG: ${title()}`, () => save(name("svg"), svgOf(option()))),
    button("PNG", `Save as PNG: ${title()}`, () => void pngOf(option()).then((blob) => blob && save(name("png"), blob))),
    copyButton(title(), numbers),
  );
}
