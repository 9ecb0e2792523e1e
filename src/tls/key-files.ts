/** Files with private keys. */
import { readFileSync, renameSync, writeFileSync } from "node:fs";

/** Returns the text of a file; "" when it is missing. */
export function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

/** Replaces a file, which only its owner may read, as a whole. */
export function writeAtomically(file: string, text: string): void {
  const draft = `${file}.new`;
  writeFileSync(draft, text, { mode: 0o600, flush: true });
  renameSync(draft, file);
}
