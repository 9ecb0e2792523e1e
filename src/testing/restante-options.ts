/** Options of `startRestante`, and what it returns. */
import { newSecret } from "../operations/keys/keys.ts";
import { type Config, readSettings } from "../app/settings/config.ts";
import type { LogLevel } from "../app/settings/table.ts";
import type { Limits } from "../core/limits.ts";

/** Options of `startRestante`; all have defaults for tests. */
export interface RestanteOptions {
  /** Data folder. Default: a new temporary folder, which is removed at the end. */
  readonly dataDir?: string;
  /** Servers to create: an id of eight letters or digits, and a name without commas. Default: one with a random id. */
  readonly servers?: readonly { readonly id: string; readonly name: string }[];
  /** Account key, 8 to 256 visible ASCII characters without a colon. Default: a random one, or that of `dataDir`. */
  readonly apiKey?: string;
  /** Absent or 0: any free port. */
  readonly smtpPort?: number;
  /** Absent or 0: any free port. */
  readonly httpPort?: number;
  /** Absent or 0: any free port. */
  readonly httpsPort?: number;
  /** Clients that are offered STARTTLS: those on other machines (`auto`, the default), all or none. */
  readonly smtpStarttls?: "auto" | "always" | "never";
  /** Service mail domain: addresses are `<anything>@<serverId>.<mailDomain>`. Default: `restante.example.com`. */
  readonly mailDomain?: string;
  /** Server of mail whose recipient names no server: `first` (default), `off` (rejected) or a server id. */
  readonly catchAll?: string;
  /** Browser for previews: `off` (default), `auto`, or the absolute path of a Chromium. */
  readonly chromium?: string;
  /** Limits that differ from the defaults. */
  readonly limits?: Partial<Limits>;
  /** Log level, on standard error. Default: `silent`. */
  readonly log?: LogLevel;
  /**
   * Whether the workers of a test run share one service, in a process of its own, in which each call has its own server, key
   * and SMTP port. Default: true, unless an option needs a service of its own: `dataDir`, `servers`, `apiKey`, `httpPort`,
   * `httpsPort`, `limits`, or a server id as `catchAll`. False: a service in this process.
   */
  readonly shared?: boolean;
}

/** SMTP settings in the form of nodemailer's `createTransport`. */
export interface RestanteSmtp {
  readonly host: string;
  readonly port: number;
  /** No implicit TLS. */
  readonly secure: false;
  /** Local CA in PEM, for STARTTLS. */
  readonly tls: { readonly ca: string };
}

/** Access to a service for tests. */
export interface Restante extends AsyncDisposable {
  /**
   * Key for HTTP Basic (as user name) or as bearer token: restricted to the server in a shared service, an account key
   * otherwise.
   */
  readonly apiKey: string;
  /** Id of the server, the first one of `servers`. */
  readonly serverId: string;
  /** Mail domain of that server, `<serverId>.<mailDomain>`. */
  readonly serverDomain: string;
  /** SMTP settings of the service. */
  readonly smtp: RestanteSmtp;
  /** Base URL of the API over HTTP, without trailing slash. */
  readonly url: string;
  /** Base URL of the API over HTTPS, without trailing slash. */
  readonly httpsUrl: string;
  /** PEM file of the CA behind HTTPS and STARTTLS. */
  readonly caFile: string | null;
  /** Log file of the shared service; null for a service in this process. */
  readonly logFile: string | null;
  /** Returns an address of the server, with this local part or a unique one. */
  emailAddress(localPart?: string): string;
  /**
   * Stops the service and removes its temporary folder, or deletes the server in a shared service, which exits after its last
   * caller. Safe to call twice.
   */
  stop(): Promise<void>;
}

/** Converts options to settings. Throws {@link SettingsError}: options are checked by the rules of the settings. */
export function configOf(options: RestanteOptions, dataDir: string): Config {
  const given: Record<string, string | number | undefined> = {
    "data-dir": dataDir,
    "api-key": options.apiKey ?? (options.dataDir === undefined ? newSecret() : undefined),
    servers: options.servers?.map(({ id, name }) => `${id}:${name}`).join(","),
    "smtp-port": options.smtpPort ?? 0,
    "smtp-starttls": options.smtpStarttls,
    "http-port": options.httpPort ?? 0,
    "https-port": options.httpsPort ?? 0,
    "mail-domain": options.mailDomain,
    "catch-all": options.catchAll,
    chromium: options.chromium ?? "off",
    log: options.log ?? "silent",
  };
  const flags = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`]));
  const { config } = readSettings({}, flags);
  return Object.freeze({ ...config, limits: Object.freeze({ ...config.limits, ...options.limits }) });
}

/**
 * Returns whether a service with these options can be shared with other callers. Throws an `Error` when `shared: true` is
 * combined with an option that needs a service of its own.
 */
export function isShareable(options: RestanteOptions): boolean {
  const { dataDir, servers, apiKey, httpPort = 0, httpsPort = 0, limits, catchAll = "first", shared } = options;
  if (shared === false) return false;
  const own = {
    dataDir: dataDir !== undefined,
    servers: servers !== undefined,
    apiKey: apiKey !== undefined,
    httpPort: httpPort !== 0,
    httpsPort: httpsPort !== 0,
    limits: limits !== undefined,
    catchAll: catchAll !== "first" && catchAll !== "off",
  };
  const names = Object.entries(own).flatMap(([name, isOwn]) => (isOwn ? [name] : []));
  if (shared === true && names.length > 0) {
    throw new Error(`shared: true cannot be combined with ${names.join(", ")}, which need a service of their own`);
  }
  return names.length === 0;
}
