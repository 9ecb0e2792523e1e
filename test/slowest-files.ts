/** Vitest reporter that lists the slowest test files at the end of a run. */
import type { Reporter, TestModule } from "vitest/node";

const shownMax = 10;
/** Shorter files are not listed. */
const shownMsMin = 1000;

/** Prints up to ten files, slowest first. */
export class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const rows = modules
      .map((module) => ({ file: module.relativeModuleId, ms: module.diagnostic().duration }))
      .filter(({ ms }) => ms >= shownMsMin)
      .toSorted((a, b) => b.ms - a.ms)
      .slice(0, shownMax);
    if (rows.length === 0) return;
    const lines = rows.map(({ file, ms }) => `${(ms / 1000).toFixed(1).padStart(8)} s  ${file}\n`);
    process.stdout.write(`\nSlowest test files\n${lines.join("")}`);
  }
}
