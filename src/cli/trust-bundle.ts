import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { rootCertificates } from "node:tls";

/**
 * Writes the public roots that this Node knows and the local CA into one PEM file beside the CA, for programs whose whole
 * trust store is one file. Answers its path; a file that is right already is left alone.
 */
export function writeTrustBundle(caFile: string): string {
  const file = join(dirname(caFile), "bundle.pem");
  const text = `${[...rootCertificates, readFileSync(caFile, "utf8").trim()].join("\n")}\n`;
  if (readIfThere(file) === text) return file;
  // Test runs start side by side, and each asks for its variables.
  const unfinished = `${file}.${String(process.pid)}.new`;
  writeFileSync(unfinished, text, { mode: 0o600 });
  renameSync(unfinished, file);
  return file;
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // The file is optional.
    return undefined;
  }
}
