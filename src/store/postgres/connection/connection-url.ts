/** Database URLs of libpq (PostgreSQL documentation, "Connection URIs"). */

/** One host and port. A host that begins with `/` is the folder of a Unix socket. */
export interface DatabaseHost {
  readonly host: string;
  readonly port: number;
}

/** TLS mode, as in libpq. */
export type TlsMode = "disable" | "require" | "verify-ca" | "verify-full";

/** Decoded database URL. */
export interface DatabaseUrl {
  /** At least one host, in the order in which they are tried. */
  readonly hosts: readonly [DatabaseHost, ...DatabaseHost[]];
  readonly user: string;
  /** Null when the URL has none: then PGPASSWORD applies. */
  readonly password: string | null;
  readonly database: string;
  readonly tls: TlsMode;
  /** PEM files: trusted authorities (null: those of the system), and a client certificate with its key. */
  readonly tlsRootFile: string | null;
  readonly tlsCertificateFile: string | null;
  readonly tlsKeyFile: string | null;
  /** Whether the connection skips read-only servers, such as standbys. */
  readonly readWrite: boolean;
  /** Timeout for each host. */
  readonly connectMsMax: number;
  /** Name in `pg_stat_activity`. */
  readonly applicationName: string;
}

const tlsModes: readonly TlsMode[] = ["disable", "require", "verify-ca", "verify-full"];
const parameterNames = [
  "application_name",
  "connect_timeout",
  "host",
  "sslcert",
  "sslkey",
  "sslmode",
  "sslrootcert",
  "target_session_attrs",
];
const shape = /^postgres(?:ql)?:\/\/(?:([^/?#@]*)@)?([^/?#@]*)(?:\/([^/?#]*))?(?:\?([^#]*))?$/;

/**
 * Reads `postgres://user:password@host:port,host:port/database?…`. Without `sslmode`, TLS is required of every host except
 * this machine; `require` with a `sslrootcert` means `verify-ca`, as in libpq. Throws an `Error` whose text
 * names the mistake and never contains a password.
 */
export function readDatabaseUrl(text: string): DatabaseUrl {
  const parts = shape.exec(text);
  if (parts === null)
    return refuse("the URL must begin with postgres:// and have the form postgres://user:password@host:port/database");
  const [, identity = "", authority = "", database = "", query = ""] = parts;
  const parameters = readParameters(query);
  const hosts = readHosts(parameters.get("host") ?? authority);
  const { user, password } = readIdentity(identity);
  return {
    hosts,
    user,
    password,
    database: decode(database) || user,
    ...readTls(parameters, hosts),
    readWrite: readAttributes(parameters.get("target_session_attrs")),
    connectMsMax: readSeconds(parameters.get("connect_timeout")) * 1000,
    applicationName: parameters.get("application_name") ?? "restante",
  };
}

/** Returns the URL of another database of the same servers. */
export function withDatabase(url: string, database: string): string {
  const at = url.search(/[?#]/);
  const [place, parameters] = at === -1 ? [url, ""] : [url.slice(0, at), url.slice(at)];
  const [scheme, , hosts] = place.split("/");
  return `${scheme}//${hosts}/${encodeURIComponent(database)}${parameters}`;
}

/**
 * Returns the environment variables of libpq (PostgreSQL documentation, "Environment Variables") for a URL, with which `pg_dump`
 * and others connect as this program does; other users of the machine see arguments, but not these.
 */
export function libpqEnvironment(url: string): Readonly<Record<string, string>> {
  const target = readDatabaseUrl(url);
  const { password, tls, tlsRootFile, tlsCertificateFile, tlsKeyFile } = target;
  const rootFile = tlsRootFile ?? (tls.startsWith("verify") ? "system" : null);
  return {
    PGHOST: target.hosts.map(({ host }) => host).join(","),
    PGPORT: target.hosts.map(({ port }) => port).join(","),
    PGUSER: target.user,
    PGDATABASE: target.database,
    PGSSLMODE: tls,
    PGTARGETSESSIONATTRS: target.readWrite ? "read-write" : "any",
    PGCONNECT_TIMEOUT: String(Math.ceil(target.connectMsMax / 1000)),
    PGAPPNAME: target.applicationName,
    ...(password !== null && { PGPASSWORD: password }),
    ...(rootFile !== null && { PGSSLROOTCERT: rootFile }),
    ...(tlsCertificateFile !== null && { PGSSLCERT: tlsCertificateFile }),
    ...(tlsKeyFile !== null && { PGSSLKEY: tlsKeyFile }),
  };
}

function readIdentity(identity: string): Pick<DatabaseUrl, "user" | "password"> {
  const [user = "", password = null] = identity.split(/:(.*)/s, 2).map(decode);
  return { user: user || "postgres", password };
}

function readParameters(query: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const pair of query.split("&").filter((one) => one !== "")) {
    const [name = "", value = ""] = pair.split(/=(.*)/s, 2).map(decode);
    if (!parameterNames.includes(name)) refuse(`unknown parameter "${name}"; use ${parameterNames.join(", ")}`);
    parameters.set(name, value);
  }
  return parameters;
}

function readHosts(authority: string): DatabaseUrl["hosts"] {
  const [first = localHost, ...others] = authority.split(",").filter(Boolean).map(readHost);
  return [first, ...others];
}

const localHost: DatabaseHost = { host: "127.0.0.1", port: 5432 };

function readHost(text: string): DatabaseHost {
  const whole = decode(text);
  if (whole.startsWith("/")) return { host: whole, port: 5432 };
  const [, bracketed, name, portText = "5432"] =
    /^(?:\[([0-9A-Fa-f:.]+)\]|([^[\]:\s]+))(?::(\d{1,5}))?$/.exec(whole) ?? [];
  const host = bracketed ?? name;
  const port = Number(portText);
  if (host === undefined || port < 1 || port > 65_535) return refuse(`"${whole}" is not a valid host or host:port`);
  return { host, port };
}

function readTls(
  parameters: ReadonlyMap<string, string>,
  hosts: readonly DatabaseHost[],
): Pick<DatabaseUrl, "tls" | "tlsRootFile" | "tlsCertificateFile" | "tlsKeyFile"> {
  const root = parameters.get("sslrootcert") ?? null;
  const asked = parameters.get("sslmode") ?? (hosts.every(isOwn) ? "disable" : "require");
  const mode = tlsModes.find((one) => one === asked) ?? refuse(`sslmode must be one of ${tlsModes.join(", ")}`);
  return {
    tls: mode === "require" && root !== null ? "verify-ca" : mode,
    tlsRootFile: root === "system" ? null : root,
    tlsCertificateFile: parameters.get("sslcert") ?? null,
    tlsKeyFile: parameters.get("sslkey") ?? null,
  };
}

function isOwn({ host }: DatabaseHost): boolean {
  return host.startsWith("/") || host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function readAttributes(text = "read-write"): boolean {
  if (text === "any") return false;
  return (
    text === "read-write" || text === "primary" || refuse("target_session_attrs must be read-write, primary or any")
  );
}

function readSeconds(text = "5"): number {
  const isSensible = /^\d{1,3}$/.test(text) && Number(text) > 0;
  return isSensible ? Number(text) : refuse("connect_timeout must be a number of seconds from 1 to 999");
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A URIError contains no further detail.
    return refuse("the URL contains a % without two hexadecimal digits");
  }
}

function refuse(why: string): never {
  throw new Error(why);
}
