/** Environment variables with which client libraries find a service. */
import { isLoopback } from "../../app/loopback.ts";
import { readRunningService, type ServiceAddress } from "../../app/service-file.ts";
import type { Config } from "../../app/settings/config.ts";
import type { Variable } from "./shell-syntax.ts";
import { languageVariableNames, type TrustFiles } from "./trust-files.ts";

/** Options for {@link clientEnvironment}. */
export interface ClientEnvironmentOptions {
  readonly address: ServiceAddress;
  readonly apiKey: string;
  /** Server that tests use. */
  readonly server: string;
  /** Files that contain the local CA; null when the operator configured a certificate. */
  readonly trust: TrustFiles | null;
  /** Variables of languages with settings of their own. */
  readonly languages: readonly Variable[];
  /** Whether the base URL is that of the HTTPS listener. */
  readonly https: boolean;
  /** Whether `HTTPS_PROXY` names the tunnel of the service. */
  readonly proxy: boolean;
  /** URL of the module that redirects requests of Node programs; null for none. */
  readonly redirectModule: string | null;
  /** Host patterns of providers for the redirect module; null without `--providers`. */
  readonly providerHosts: string | null;
  /** Variables that lead libraries of providers here; none without `--providers`. */
  readonly endpoints: readonly Variable[];
  /** Current value of `NODE_OPTIONS`. */
  readonly nodeOptions: string;
}

/** Default base URL of the official libraries. */
const hostedUrl = "https://mailosaur.com/";

/** Returns the variables in output order. Throws an `Error` that names the setting when a required listener is off. */
export function clientEnvironment(options: ClientEnvironmentOptions): readonly Variable[] {
  const { address, apiKey, server } = options;
  return [
    ["MAILOSAUR_API_KEY", apiKey],
    ["MAILOSAUR_SERVER", server],
    ["MAILOSAUR_BASE_URL", baseUrl(options)],
    ...smtpVariables(options),
    ["RESTANTE_API_KEY", apiKey],
    ["RESTANTE_SERVER", server],
    ["RESTANTE_URL", options.https ? httpsUrl(address) : openUrl(address)],
    ["RESTANTE_MAIL_DOMAIN", options.address.mailDomain],
    ...(options.trust === null ? [] : Object.entries(options.trust)),
    ...options.languages,
    ...(options.proxy ? proxyVariables(address, options.providerHosts !== null) : []),
    ...options.endpoints,
    ...(options.redirectModule === null ? [] : redirectVariables(options, options.redirectModule)),
  ];
}

/** Returns the names of all variables that {@link clientEnvironment} can set with these flags. */
export function clientVariables({ proxy, redirect }: Record<"proxy" | "redirect", boolean>): readonly string[] {
  return [
    "MAILOSAUR_API_KEY",
    "MAILOSAUR_SERVER",
    "MAILOSAUR_BASE_URL",
    "MAILOSAUR_SMTP_HOST",
    "MAILOSAUR_SMTP_PORT",
    "RESTANTE_SMTP_HOST",
    "RESTANTE_API_KEY",
    "RESTANTE_SERVER",
    "RESTANTE_URL",
    "RESTANTE_MAIL_DOMAIN",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_FILE",
    ...languageVariableNames(proxy),
    ...(proxy ? ["HTTPS_PROXY", "https_proxy"] : []),
    ...(redirect
      ? ["NODE_OPTIONS", "RESTANTE_REDIRECT_URL", "RESTANTE_REDIRECT_CA", "RESTANTE_REDIRECT_PROVIDERS"]
      : []),
  ];
}

/** Returns the base URL; HTTP by default, because most libraries accept it without a trusted certificate. */
function baseUrl({ address, https, proxy }: ClientEnvironmentOptions): string {
  if (proxy) return hostedUrl;
  return `${https ? httpsUrl(address) : openUrl(address)}/`;
}

function httpsUrl(address: ServiceAddress): string {
  if (address.httpsUrl !== null) return address.httpsUrl;
  throw new Error("--https requires the HTTPS listener: RESTANTE_HTTPS_PORT must not be off");
}

function openUrl({ url, httpsUrl }: ServiceAddress): string {
  const open = url ?? httpsUrl;
  if (open === null)
    throw new Error("The service has no API listener: RESTANTE_HTTP_PORT and RESTANTE_HTTPS_PORT are off");
  return open;
}

/**
 * Returns the SMTP variables. Official libraries generate addresses that end with `MAILOSAUR_SMTP_HOST`, which therefore is the
 * mail domain; `RESTANTE_SMTP_HOST` is the host to connect to.
 */
function smtpVariables({ address: { smtp, mailDomain } }: ClientEnvironmentOptions): readonly Variable[] {
  if (smtp === null) return [["MAILOSAUR_SMTP_HOST", mailDomain]];
  return [
    ["MAILOSAUR_SMTP_HOST", mailDomain],
    ["MAILOSAUR_SMTP_PORT", String(smtp.port)],
    ["RESTANTE_SMTP_HOST", isLoopback(smtp.host) ? "localhost" : smtp.host],
  ];
}

function proxyVariables(
  { url, httpsUrl, caFile, intercepted }: ServiceAddress,
  withProviders: boolean,
): readonly Variable[] {
  if (withProviders && intercepted.length === 0) {
    throw new Error(
      "--proxy --providers requires a service that is started with RESTANTE_INTERCEPT, a list of names of providers",
    );
  }
  if (url === null || httpsUrl === null) {
    throw new Error("--proxy requires both API listeners: RESTANTE_HTTP_PORT and RESTANTE_HTTPS_PORT must not be off");
  }
  if (caFile === null) {
    throw new Error(
      "--proxy requires the certificate of the local CA, which is valid for mailosaur.com, but RESTANTE_TLS_CERT is set; use --redirect",
    );
  }
  // Both spellings: programs differ in which one they read, and an old value of the other could take precedence.
  return [
    ["HTTPS_PROXY", url],
    ["https_proxy", url],
  ];
}

function redirectVariables(
  { address, nodeOptions, providerHosts }: ClientEnvironmentOptions,
  module: string,
): readonly Variable[] {
  const option = `--import=${module}`;
  const isSecure = address.url === null && address.caFile !== null;
  return [
    ["NODE_OPTIONS", nodeOptions.includes(option) ? nodeOptions : `${nodeOptions} ${option}`.trim()],
    ["RESTANTE_REDIRECT_URL", openUrl(address)],
    ...(isSecure ? [["RESTANTE_REDIRECT_CA", address.caFile ?? ""] as const] : []),
    ...(providerHosts === null ? [] : [["RESTANTE_REDIRECT_PROVIDERS", providerHosts] as const]),
  ];
}

/** Returns the addresses of the service that runs on the data folder. Throws an `Error` for the operator without one. */
export function runningService({ dataDir }: Config): ServiceAddress {
  const address = readRunningService(dataDir);
  if (address !== undefined) return address;
  throw new Error(`No service is running in ${dataDir}; start restante serve, or set --data-dir`);
}
