/** Files of inputs that earlier runs found to reach new code. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const corpusFolder = join(import.meta.dirname, "corpus");

/** Reads the files of a target, sorted by name. */
export function readCorpus(target: string): readonly Buffer[] {
  const folder = join(corpusFolder, target);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .toSorted()
    .map((name) => readFileSync(join(folder, name)));
}

/** Writes an input under the hash of its content; returns the path. */
export function writeInput(folder: string, input: Buffer, prefix = ""): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${prefix}${createHash("sha256").update(input).digest("hex").slice(0, 16)}.bin`);
  writeFileSync(path, input);
  return path;
}

/** Adds an input to the corpus of a target. */
export function keepInput(target: string, input: Buffer): void {
  writeInput(join(corpusFolder, target), input);
}
