// A view is one section of the page, made in one file of views/; views/index.ts lists them in order.

import type { Layer, Page, Run } from "./data";

/** Which layer is looked at; views tell each other. */
export class Selection {
  private readonly listeners: ((run: Run, layer: Layer) => void)[] = [];

  constructor(
    public run: Run | null,
    public layer: Layer | null,
  ) {}

  choose(run: Run, layer: Layer): void {
    this.run = run;
    this.layer = layer;
    for (const listener of this.listeners) listener(run, layer);
  }

  onChange(listener: (run: Run, layer: Layer) => void): void {
    this.listeners.push(listener);
  }
}

export interface View {
  id: string;
  title: string;
  /** Null where the page has nothing for it. */
  make: (page: Page, selection: Selection) => HTMLElement | null;
}
