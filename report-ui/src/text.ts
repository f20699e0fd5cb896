// Numbers for people.

const kPrefixes = ["y", "z", "a", "f", "p", "n", "u", "m", "", "k", "M", "G", "T", "P", "E", "Z", "Y"];

export function count(value: number): string {
  if (value >= 1e15) return value.toPrecision(4);
  return value.toLocaleString("en-US", { maximumFractionDigits: 2 });
}

export function plain(value: number, digits = 4): string {
  return String(Number(value.toPrecision(digits)));
}

/** 1.5e-6 J -> "1.5 uJ"; words of more than two letters get no prefix but grouped digits. */
export function withUnit(value: number, unit: string, digits = 4): string {
  if (unit === "" || unit.length > 2 || value <= 0 || !Number.isFinite(value)) {
    const figure = Math.abs(value) >= 1 || value === 0 ? count(value) : plain(value);
    return unit === "" ? figure : `${figure} ${unit}`;
  }
  const three = Math.min(8, Math.max(-8, Math.floor(Math.log10(value) / 3 + 1e-12)));
  return `${plain(value / 10 ** (3 * three), digits)} ${kPrefixes[three + 8]}${unit}`;
}

/** 578027520 -> "578 M" */
export const compact = (value: number, digits = 4): string => (value >= 1e4 ? withUnit(value, " ", digits).trim() : plain(value, digits));

export const energy = (pj: number): string => withUnit(pj * 1e-12, "J");
export const share = (part: number): string => `${(100 * part).toFixed(1)} %`;

const kBinary = ["B", "KiB", "MiB", "GiB", "TiB"];

/** 1536 words of 16 bits -> "3 KiB"; words where their width is not known. */
export function storage(words: number, bits: number): string {
  if (bits <= 0) return `${count(words)} words`;
  const bytes = (words * bits) / 8;
  const step = bytes > 0 ? Math.min(kBinary.length - 1, Math.max(0, Math.floor(Math.log2(bytes) / 10))) : 0;
  return `${plain(bytes / 1024 ** step)} ${kBinary[step]}`;
}
