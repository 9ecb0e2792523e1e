import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { rootCertificates } from "node:tls";

/** Files that programs of a test run are to trust, by variable. */
export interface TrustFiles {
  readonly NODE_EXTRA_CA_CERTS: string;
  readonly REQUESTS_CA_BUNDLE: string;
  readonly SSL_CERT_FILE: string;
}

const names: readonly (keyof TrustFiles)[] = ["NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"];
const pemBlock = /-----BEGIN (?:TRUSTED )?CERTIFICATE-----[^]*?-----END (?:TRUSTED )?CERTIFICATE-----/g;

/**
 * Writes, beside the local CA, the PEM files with which programs trust it, and returns their paths. Node adds its file to
 * the roots that it knows, so that is the CA alone; the others are a program's whole trust store and hold the public roots
 * too. Where a variable names another file already, its certificates are kept: a file of their own holds them and the CA.
 * Throws an `Error` when such a file cannot be read.
 */
export function writeTrustFiles(caFile: string, environment: Readonly<Record<string, string | undefined>>): TrustFiles {
  const ca = blocksOf(readFileSync(caFile, "utf8"));
  const bundle = join(dirname(caFile), "bundle.pem");
  write(bundle, [...rootCertificates, ...ca]);
  const files = { NODE_EXTRA_CA_CERTS: caFile, REQUESTS_CA_BUNDLE: bundle, SSL_CERT_FILE: bundle };
  for (const name of names) {
    const given = environment[name] ?? "";
    if (given === "" || given === files[name]) continue;
    const file = join(dirname(caFile), `with-${name.toLowerCase().replaceAll("_", "-")}.pem`);
    write(file, [...blocksIn(name, given), ...ca]);
    files[name] = file;
  }
  return files;
}

function blocksIn(name: string, file: string): readonly string[] {
  try {
    return blocksOf(readFileSync(file, "utf8"));
  } catch (error) {
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    throw new Error(`${name} is set to ${file}, which cannot be read (${code}); unset it or name a PEM file`, {
      cause: error,
    });
  }
}

function blocksOf(pem: string): readonly string[] {
  return pem.match(pemBlock) ?? [];
}

/** A file that is right already is left alone. */
function write(file: string, certificates: readonly string[]): void {
  const text = `${Array.from(new Set(certificates.map((one) => one.trim()))).join("\n")}\n`;
  if (readIfThere(file) === text) return;
  // Test runs start side by side, and each asks for its variables.
  const unfinished = `${file}.${String(process.pid)}.new`;
  writeFileSync(unfinished, text, { mode: 0o600 });
  renameSync(unfinished, file);
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // Absent or unreadable: it is written again.
    return undefined;
  }
}
