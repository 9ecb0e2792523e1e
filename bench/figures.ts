/** Reads the tables that benchmarks print, to compare two runs. */

/** Figure that differs between two runs. */
export interface MovedFigure {
  readonly name: string;
  readonly before: number;
  readonly now: number;
}

/** Share by which a figure may differ. */
const shareMax = 0.1;

/** Returns the numbers of all tables by title, row and column; of titles and rows, numbers are left out. */
export function figuresOf(text: string): ReadonlyMap<string, number> {
  const tables = text.split(/^#+ */m).slice(1);
  return new Map(
    tables.flatMap((table) => {
      const [title = "", ...lines] = table.split("\n");
      const [head = [], , ...rows] = lines.filter((line) => line.startsWith("|")).map(cellsOf);
      return rows.flatMap(([row = "", ...cells]) =>
        cells.flatMap((cell, at): [string, number][] => {
          const [, digits] = /^(-?[\d,.]+)(?: ?[a-zµ%×]+)?$/.exec(cell) ?? [];
          const name = `${withoutNumbers(title)}: ${withoutNumbers(row)}, ${head[at + 1] ?? ""}`;
          return digits === undefined ? [] : [[name, Number(digits.replaceAll(",", ""))]];
        }),
      );
    }),
  );
}

/** Returns the figures that are in both runs and differ by more than a tenth of the earlier one. */
export function movedFigures(
  earlier: ReadonlyMap<string, number>,
  later: ReadonlyMap<string, number>,
): readonly MovedFigure[] {
  return [...later].flatMap(([name, now]) => {
    const before = earlier.get(name);
    const isMoved = before !== undefined && Math.abs(now - before) > shareMax * Math.abs(before);
    return isMoved ? [{ name, before, now }] : [];
  });
}

function cellsOf(line: string): readonly string[] {
  return line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
}

function withoutNumbers(text: string): string {
  return text.replaceAll(/[\d.,]*\d/g, "");
}
