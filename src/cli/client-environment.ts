/** The variables with which client libraries find a service. */
import { isLoopback } from "../app/loopback.ts";
import type { ServiceAddress } from "../app/service-file.ts";
import type { Variable } from "./shell-syntax.ts";
import type { TrustFiles } from "./trust-bundle.ts";

/** What the variables are made of. */
export interface ClientEnvironmentOptions {
  readonly address: ServiceAddress;
  readonly apiKey: string;
  /** The server that tests use. */
  readonly server: string;
  /** Files that hold the local CA; null when the certificate is the operator's own. */
  readonly trust: TrustFiles | null;
  /** Whether the base URL shall be that of the HTTPS listener. */
  readonly https: boolean;
  /** Whether all HTTPS traffic of the shell shall go by our tunnel. */
  readonly proxy: boolean;
  /** URL of the module that redirects Node programs; null where they are left alone. */
  readonly redirectModule: string | null;
  /** `NODE_OPTIONS` as it is. */
  readonly nodeOptions: string;
}

/** The host that official libraries go to unless told otherwise. */
const hostedUrl = "https://mailosaur.com/";

/**
 * The variables, in the order in which they are shown. Throws an `Error` that says which setting stands in the way when
 * the listener that it takes is off.
 */
export function clientEnvironment(needs: ClientEnvironmentOptions): readonly Variable[] {
  const { address, apiKey, server } = needs;
  return [
    ["MAILOSAUR_API_KEY", apiKey],
    ["MAILOSAUR_SERVER", server],
    ["MAILOSAUR_BASE_URL", baseUrl(needs)],
    ...smtpVariables(address),
    ["RESTANTE_API_KEY", apiKey],
    ["RESTANTE_SERVER", server],
    ["RESTANTE_URL", needs.https ? httpsUrl(address) : openUrl(address)],
    ...(needs.trust === null ? [] : Object.entries(needs.trust)),
    ...(needs.proxy ? proxyVariables(address) : []),
    ...(needs.redirectModule === null ? [] : redirectVariables(needs, needs.redirectModule)),
  ];
}

/** Names of all variables that {@link clientEnvironment} can set with these flags. */
export function clientVariables({
  proxy,
  redirect,
}: {
  readonly proxy: boolean;
  readonly redirect: boolean;
}): readonly string[] {
  return [
    "MAILOSAUR_API_KEY",
    "MAILOSAUR_SERVER",
    "MAILOSAUR_BASE_URL",
    "MAILOSAUR_SMTP_HOST",
    "MAILOSAUR_SMTP_PORT",
    "RESTANTE_API_KEY",
    "RESTANTE_SERVER",
    "RESTANTE_URL",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_FILE",
    ...(proxy ? ["HTTPS_PROXY", "https_proxy"] : []),
    ...(redirect ? ["NODE_OPTIONS", "RESTANTE_REDIRECT_URL", "RESTANTE_REDIRECT_CA"] : []),
  ];
}

/** Plain HTTP where it can be: most libraries take it as it is, with nothing to be trusted first. */
function baseUrl({ address, https, proxy }: ClientEnvironmentOptions): string {
  if (proxy) return hostedUrl;
  return `${https ? httpsUrl(address) : openUrl(address)}/`;
}

function httpsUrl(address: ServiceAddress): string {
  if (address.httpsUrl !== null) return address.httpsUrl;
  throw new Error("--https needs the HTTPS listener: RESTANTE_HTTPS_PORT must not be off");
}

function openUrl({ url, httpsUrl }: ServiceAddress): string {
  const open = url ?? httpsUrl;
  if (open === null) throw new Error("The service runs without its API: RESTANTE_HTTP_PORT and _HTTPS_PORT are off");
  return open;
}

/** Libraries also end addresses that they make up with the host: `localhost` passes for a domain, an address does not. */
function smtpVariables({ smtp }: ServiceAddress): readonly Variable[] {
  if (smtp === null) return [];
  return [
    ["MAILOSAUR_SMTP_HOST", isLoopback(smtp.host) ? "localhost" : smtp.host],
    ["MAILOSAUR_SMTP_PORT", String(smtp.port)],
  ];
}

function proxyVariables({ url, httpsUrl, caFile }: ServiceAddress): readonly Variable[] {
  if (url === null || httpsUrl === null) {
    throw new Error(
      "--proxy needs both listeners of the API: RESTANTE_HTTP_PORT and RESTANTE_HTTPS_PORT must not be off",
    );
  }
  if (caFile === null) {
    throw new Error(
      "--proxy needs a certificate for mailosaur.com, and your own (RESTANTE_TLS_CERT) is none; use --redirect",
    );
  }
  // Both spellings: programs differ in which they read, and an old value of the other one would win.
  return [
    ["HTTPS_PROXY", url],
    ["https_proxy", url],
  ];
}

function redirectVariables({ address, nodeOptions }: ClientEnvironmentOptions, module: string): readonly Variable[] {
  const option = `--import=${module}`;
  const isSecure = address.url === null && address.caFile !== null;
  return [
    ["NODE_OPTIONS", nodeOptions.includes(option) ? nodeOptions : `${nodeOptions} ${option}`.trim()],
    ["RESTANTE_REDIRECT_URL", openUrl(address)],
    ...(isSecure ? [["RESTANTE_REDIRECT_CA", address.caFile ?? ""] as const] : []),
  ];
}
