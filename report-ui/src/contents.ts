// The contents of the page: a column beside it on wide screens, a line above it on narrow ones; says which view is in sight.
import { el } from "./dom";

export function contents(sections: { id: string; title: string }[]): HTMLElement {
  const links = sections.map(({ id, title }) => el("a", { href: `#${id}` }, title));
  const list = el("ul");
  for (const link of links) list.append(el("li", {}, link));
  return el("nav", { "aria-label": "Views" }, list);
}

/** Marks the link of the topmost section in sight. */
export function follow(nav: HTMLElement, sections: HTMLElement[]): void {
  const inSight = new Set<Element>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) entry.isIntersecting ? inSight.add(entry.target) : inSight.delete(entry.target);
      const first = sections.find((section) => inSight.has(section));
      if (!first) return;
      for (const link of nav.querySelectorAll("a"))
        if (link.hash === `#${first.id}`) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
    },
    { rootMargin: "-60px 0px -60% 0px" },
  );
  for (const section of sections) observer.observe(section);
}
