import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { getCACertificates } from "node:tls";

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

/** PEM files of trusted certificates, by variable. */
export interface TrustFiles {
  readonly NODE_EXTRA_CA_CERTS: string;
  readonly REQUESTS_CA_BUNDLE: string;
  readonly SSL_CERT_FILE: string;
}

const names: readonly (keyof TrustFiles)[] = ["NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"];
const pemBlock = /-----BEGIN (?:TRUSTED )?CERTIFICATE-----[^]*?-----END (?:TRUSTED )?CERTIFICATE-----/g;

/**
 * Writes PEM files beside the local CA with which programs trust it, and returns their paths. NODE_EXTRA_CA_CERTS extends the
 * trust store of Node, so its file contains the CA only; the other variables replace the trust store, so their file contains
 * the public roots too. Certificates of a file that a variable already names are included. Throws an `Error` when such a file
 * cannot be read.
 */
export function writeTrustFiles(caFile: string, environment: Readonly<Record<string, string | undefined>>): TrustFiles {
  const ca = blocksOf(readFileSync(caFile, "utf8"));
  const bundle = join(dirname(caFile), "bundle.pem");
  write(bundle, [...getCACertificates("bundled"), ...ca]);
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

/** Returns the certificates of a PEM text. */
export function blocksOf(pem: string): readonly string[] {
  return pem.match(pemBlock) ?? [];
}

function write(file: string, certificates: readonly string[]): void {
  writeFile(file, `${Array.from(new Set(certificates.map((one) => one.trim()))).join("\n")}\n`);
}
