import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Writes a file atomically, with its folder, unless it already has this content: several test runs may write and read it
 * concurrently. `mode` is that of a new file.
 */
export function writeFile(file: string, content: string | Uint8Array, mode = 0o600): void {
  const bytes = Buffer.from(content);
  if (readIfThere(file)?.equals(bytes) === true) return;
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${String(process.pid)}.new`;
  writeFileSync(draft, bytes, { mode });
  renameSync(draft, file);
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    // Missing or unreadable: it is written.
    return undefined;
  }
}
