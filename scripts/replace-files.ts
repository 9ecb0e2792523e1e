/** Replacement of built files while other processes of the checkout read them. */
import { globSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Builds files into a folder beside the target, and moves each one into its place: a process that reads the former one reads
 * all of it. Files for which `isLast` is true are moved after those that they need.
 */
export async function buildInto(
  target: string,
  build: (draft: string) => Promise<void> | void,
  isLast: (file: string) => boolean = () => false,
): Promise<void> {
  const draft = `${target}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  try {
    await build(draft);
    const entries = globSync("**", { cwd: draft }).filter((file) => statSync(join(draft, file)).isFile());
    for (const file of entries.toSorted((a, b) => Number(isLast(a)) - Number(isLast(b)))) {
      mkdirSync(dirname(join(target, file)), { recursive: true });
      renameSync(join(draft, file), join(target, file));
    }
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Replaces a folder by a draft of it, without its former files. Processes that have one of these open read all of it. */
export function replaceFolder(draft: string, target: string): void {
  const former = `${target}.${process.pid}`;
  rmSync(former, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  renameSync(target, former);
  renameSync(draft, target);
  rmSync(former, { recursive: true, force: true });
}
