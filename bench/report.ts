/** Prints a table in Markdown, ready for docs/reference/performance.md. Columns after the first are right-aligned. */
export function printTable(title: string, head: readonly string[], rows: readonly (readonly string[])[]): void {
  const lines = [
    `\n### ${title}\n`,
    `| ${head.join(" | ")} |`,
    `|${head.map((_, at) => (at === 0 ? "---" : "---:")).join("|")}|`,
    ...rows.map((row) => `| ${row.join(" | ")} |`),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
}

/** Returns the median. */
export function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Formats a ratio. */
export function ratio(one: number, other: number): string {
  const value = one / other;
  return value >= 10 ? `${value.toFixed(0)}×` : value >= 1 ? `${value.toFixed(1)}×` : `${(value * 100).toFixed(0)} %`;
}

/** Formats a rate or a count without decimals, with thousands separators. */
export function whole(figure: number): string {
  return Math.round(figure).toLocaleString("en");
}

/** Returns a row of latencies: name, median, 99th percentile, and the ratio of the median to that of the floor. */
export function latencyRow(name: string, figures: readonly number[], floor: readonly number[]): string[] {
  const sorted = figures.toSorted((a, b) => a - b);
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
  return [name, median(figures).toFixed(2), p99.toFixed(2), ratio(median(figures), median(floor))];
}
