/**
 * Variables and files with which programs of languages with settings of their own trust the local CA and use the proxy.
 * Programs for Python, Go, .NET, Rust, Deno and Bun read `HTTPS_PROXY` and one of the PEM files.
 */
import { readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { createJvmTrustStore } from "./jvm-trust-store.ts";
import type { Variable } from "./shell-syntax.ts";
import { blocksOf } from "./trust-bundle.ts";
import { writeFile } from "./write-file.ts";

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
