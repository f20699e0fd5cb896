// Elements from values. Text becomes text nodes, never markup: nothing in this program writes innerHTML.

type Child = Node | string | null;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  for (const child of children) if (child !== null) element.append(child);
  return element;
}

export function facts(entries: [string, string][]): HTMLElement {
  const list = el("dl", { class: "facts" });
  for (const [name, value] of entries) if (value !== "") list.append(el("dt", {}, name), el("dd", {}, value));
  return list;
}

let names = 0;
export function freshId(prefix: string): string {
  return `${prefix}-${++names}`;
}
