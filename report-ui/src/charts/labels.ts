// Where the labels of marks stand: beside them where there is room, so that none covers another label or a mark.
export interface Point {
  x: number;
  y: number;
  text: string;
}

export type Side = "right" | "left" | "top" | "bottom";

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

const kLetter = 6.1; // pixels, of the font of labels
const kHeight = 13;
const kMark = 5;

function boxOf({ x, y, text }: Point, side: Side): Box {
  const width = kLetter * text.length + 4;
  const middle = (from: number, size: number): [number, number] => [from - size / 2, from + size / 2];
  if (side === "top" || side === "bottom") {
    const [left, right] = middle(x, width);
    const top = side === "top" ? y - kMark - kHeight : y + kMark;
    return { left, right, top, bottom: top + kHeight };
  }
  const [top, bottom] = middle(y, kHeight);
  const left = side === "right" ? x + kMark + 1 : x - kMark - 1 - width;
  return { left, right: left + width, top, bottom };
}

const overlap = (a: Box, b: Box): boolean => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

const around = ({ x, y }: Point): Box => ({ left: x - kMark, right: x + kMark, top: y - kMark, bottom: y + kMark });

export interface Drawn {
  /** Marks without labels, which no label covers. */
  marks: Point[];
  /** Points of lines, which are covered only where a label has no other place. */
  lines: Point[];
  width: number;
  height: number;
}

/** A side for every point that is labelled; null where there is no room. */
export function sidesOf(points: Point[], drawn: Drawn): (Side | null)[] {
  const taken = [...points, ...drawn.marks].map(around);
  const lines = drawn.lines.map(around);
  const inside = (box: Box): boolean => box.left >= 0 && box.right <= drawn.width && box.top >= -kHeight && box.bottom <= drawn.height;
  return points.map((point) => {
    for (const obstacles of [[...taken, ...lines], taken])
      for (const side of ["right", "left", "top", "bottom"] as const) {
        const box = boxOf(point, side);
        if (!inside(box) || obstacles.some((one) => overlap(one, box))) continue;
        taken.push(box);
        return side;
      }
    return null;
  });
}
