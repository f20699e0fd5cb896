// Numbers for spreadsheets: a header and rows, with tabs between.

/** Tabs and line ends within a cell become spaces. */
const cell = (value: string | number): string => String(value).replace(/[\t\r\n]+/g, " ");

export function tsv(header: string[], rows: (string | number)[][]): string {
  return [header, ...rows].map((row) => row.map(cell).join("\t")).join("\n") + "\n";
}

/** False where the browser does not let us. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
