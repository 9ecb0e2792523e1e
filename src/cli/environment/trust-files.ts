/**
 * Files and variables with which programs trust the local CA and use the proxy. Programs for Python, Go, .NET, Rust, Deno and
 * Bun read `HTTPS_PROXY` and one of the PEM files; other languages have settings of their own.
 */
import { X509Certificate } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { getCACertificates } from "node:tls";
import * as der from "../../core/der.ts";
import type { Variable } from "./shell-syntax.ts";

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
function blocksOf(pem: string): readonly string[] {
  return pem.match(pemBlock) ?? [];
}

function write(file: string, certificates: readonly string[]): void {
  writeFile(file, `${Array.from(new Set(certificates.map((one) => one.trim()))).join("\n")}\n`);
}

/** Options for {@link languageVariables}. */
export interface LanguageOptions {
  /** PEM file of the public roots and the local CA; the files of the languages are written to its folder. */
  readonly bundle: string;
  /** URL of the proxy; null without one. */
  readonly proxy: string | null;
  /** Current variables, whose values are extended. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Names of all variables that {@link languageVariables} can set with and without a proxy. */
export function languageVariableNames(hasProxy: boolean): readonly string[] {
  return [
    "DENO_CERT",
    "PHP_INI_SCAN_DIR",
    ...(hasProxy ? ["JAVA_TOOL_OPTIONS", "NODE_USE_ENV_PROXY", "RUBYLIB", "RUBYOPT"] : []),
  ];
}

/** Writes the files and returns the variables. Throws an `Error` when a file cannot be written. */
export function languageVariables(options: LanguageOptions): readonly Variable[] {
  const { bundle, proxy } = options;
  const trust: Variable[] = [
    ["DENO_CERT", bundle],
    ["PHP_INI_SCAN_DIR", phpFolders(options)],
  ];
  if (proxy === null) return trust;
  return [
    ...trust,
    ["JAVA_TOOL_OPTIONS", jvmOptions(options, new URL(proxy))],
    // Node 22.21, 24.5 and newer; older versions need --redirect.
    ["NODE_USE_ENV_PROXY", "1"],
    ...rubyVariables(options),
  ];
}

/** Returns the folders of ini files: the ones of the variable, or those of PHP itself (an empty entry), and ours. */
function phpFolders({ bundle, environment }: LanguageOptions): string {
  const folder = join(dirname(bundle), "php");
  // Nothing is special within single quotes of an ini file, and nothing can escape one.
  const quote = bundle.includes("'") ? '"' : "'";
  const path = quote + bundle + quote;
  writeFile(join(folder, "restante.ini"), `curl.cainfo = ${path}\nopenssl.cafile = ${path}\n`);
  const given = (environment["PHP_INI_SCAN_DIR"] ?? "").split(delimiter).filter((one) => one !== folder);
  return [...given, folder].join(delimiter);
}

/** Own system properties, which are replaced when they are set already. */
const jvmProperty =
  /(?:^|\s)-D(?:https\.proxy(?:Host|Port)|javax\.net\.ssl\.trustStore(?:Type|Password)?)=(?:'[^']*'|"[^"]*"|\S)+/g;

function jvmOptions({ bundle, environment }: LanguageOptions, proxy: URL): string {
  const store = join(dirname(bundle), "truststore.p12");
  writeFile(store, createJvmTrustStore(blocksOf(readFileSync(bundle, "utf8"))));
  const own = [
    `-Dhttps.proxyHost=${proxy.hostname.replaceAll(/[[\]]/g, "")}`,
    `-Dhttps.proxyPort=${proxy.port}`,
    `-Djavax.net.ssl.trustStore=${quoted(store)}`,
    "-Djavax.net.ssl.trustStoreType=PKCS12",
  ];
  return [(environment["JAVA_TOOL_OPTIONS"] ?? "").replaceAll(jvmProperty, "").trim(), ...own].join(" ").trim();
}

/** Quotes a path where HotSpot would split it: quotes of both kinds end where they end in a shell, without escapes. */
function quoted(path: string): string {
  return /[\s'"]/.test(path) ? `'${path.replaceAll("'", `'"'"'`)}'` : path;
}

/** Makes Net::HTTP use the proxy for HTTPS; it asks for that of http:// alone, and AWS' library for none. */
const rubyCode = `# Written by restante env --proxy.
require "net/http"

module RestanteProxy
  LOCAL = /\\A(?:localhost|127\\.|\\[?::1)/

  def proxy_uri
    return super unless use_ssl? && LOCAL !~ address
    proxy = ENV["https_proxy"] || ENV["HTTPS_PROXY"] || ""
    excluded = ENV["no_proxy"] || ENV["NO_PROXY"] || ""
    URI.parse(proxy) unless proxy.empty? || !URI::Generic.use_proxy?(address, address, port, excluded)
  end

  private

  def connect
    @proxy_from_env = true if use_ssl? && @proxy_address.nil?
    super
  end
end

Net::HTTP.prepend(RestanteProxy)
`;

function rubyVariables({ bundle, environment }: LanguageOptions): readonly Variable[] {
  const folder = join(dirname(bundle), "ruby");
  writeFile(join(folder, "restante_proxy.rb"), rubyCode);
  const folders = (environment["RUBYLIB"] ?? "").split(delimiter).filter((one) => one !== folder && one !== "");
  const option = "-rrestante_proxy";
  const options = (environment["RUBYOPT"] ?? "").split(/\s+/).filter((one) => one !== option && one !== "");
  return [
    ["RUBYLIB", [folder, ...folders].join(delimiter)],
    ["RUBYOPT", [...options, option].join(" ")],
  ];
}

const objects = {
  data: "1.2.840.113549.1.7.1",
  certBag: "1.2.840.113549.1.12.10.1.3",
  x509Certificate: "1.2.840.113549.1.9.22.1",
  friendlyName: "1.2.840.113549.1.9.20",
  /** Oracle's attribute, without which a JVM reads a certificate as part of a chain, and does not trust it. */
  trustedKeyUsage: "2.16.840.1.113894.746875.1.1",
  anyExtendedKeyUsage: "2.5.29.37.0",
} as const;

/** Returns a trust store with these certificates in PEM. Throws an `Error` for an invalid one. */
export function createJvmTrustStore(certificates: readonly string[]): Buffer {
  const bags = certificates.map((pem, at) => certificateBag(new X509Certificate(pem).raw, `restante-${String(at)}`));
  const safe = der.sequence(content(der.sequence(...bags)));
  return der.sequence(der.unsignedInteger(Buffer.of(3)), content(safe));
}

/** Returns ContentInfo (RFC 5652 §3) of the type data. */
function content(value: der.Der): der.Der {
  return der.sequence(der.objectIdentifier(objects.data), der.explicit(0, der.octetString(value)));
}

/** Returns SafeBag (RFC 7292 §4.2) with a trusted certificate. */
function certificateBag(certificate: Uint8Array, alias: string): der.Der {
  const value = der.sequence(
    der.objectIdentifier(objects.x509Certificate),
    der.explicit(0, der.octetString(certificate)),
  );
  const name = attribute(objects.friendlyName, der.bmpString(alias));
  const trust = attribute(objects.trustedKeyUsage, der.objectIdentifier(objects.anyExtendedKeyUsage));
  const attributes = der.setOf(...[name, trust].toSorted((one, other) => Buffer.compare(one, other)));
  return der.sequence(der.objectIdentifier(objects.certBag), der.explicit(0, value), attributes);
}

function attribute(type: string, value: der.Der): der.Der {
  return der.sequence(der.objectIdentifier(type), der.setOf(value));
}

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
