import { isIP } from "node:net";

/** Decoded relay URL. */
export interface RelayTarget {
  readonly host: string;
  readonly port: number;
  /** Implicit TLS (RFC 8314 §3.3) instead of STARTTLS. */
  readonly isImplicitTls: boolean;
  /** True: mail is sent only after STARTTLS (RFC 3207); false: TLS is used where it is offered. */
  readonly requiresTls: boolean;
  readonly verifiesCertificate: boolean;
  readonly login: { readonly user: string; readonly password: string } | null;
}

/** Error of a relay URL; the message repeats nothing of the URL, which contains a password. */
export class RelayUrlError extends Error {
  override readonly name: string = "RelayUrlError";
}

const defaultPorts: Readonly<Record<string, number>> = { "smtp:": 587, "smtps:": 465 };
const flags = new Set(["requireTLS", "verifyCertificate"]);

/**
 * Parses `smtp://user:pass@host:port?requireTLS=true` or `smtps://…`; user and password percent-encoded, port 587 or 465
 * by default. `requireTLS` is true by default when there is a password and the host is not this machine, so that a
 * relay that stops offering TLS does not get the password in clear; `verifyCertificate=false` accepts any certificate.
 * Throws {@link RelayUrlError} for everything else.
 */
export function readRelayUrl(text: string): RelayTarget {
  const url = parseUrl(text);
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const login = loginOf(url);
  const isLocal = host === "localhost" || (isIP(host) === 4 && host.startsWith("127.")) || host === "::1";
  return {
    host,
    port: url.port === "" ? (defaultPorts[url.protocol] ?? 0) : Number(url.port),
    isImplicitTls: url.protocol === "smtps:",
    requiresTls: flag(url, "requireTLS", login !== null && !isLocal),
    verifiesCertificate: flag(url, "verifyCertificate", true),
    login,
  };
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !Object.hasOwn(defaultPorts, url.protocol) || url.hostname === "") {
    throw new RelayUrlError("must be smtp://host:port or smtps://host:port");
  }
  if (url.port === "0" || (url.pathname !== "" && url.pathname !== "/") || url.hash !== "") {
    throw new RelayUrlError("must have nothing after the port except ?requireTLS and ?verifyCertificate");
  }
  const unknown = Array.from(url.searchParams.keys()).find((name) => !flags.has(name));
  if (unknown !== undefined) throw new RelayUrlError("accepts only the parameters requireTLS and verifyCertificate");
  return url;
}

function loginOf(url: URL): RelayTarget["login"] {
  if (url.username === "" && url.password === "") return null;
  try {
    return { user: decodeURIComponent(url.username), password: decodeURIComponent(url.password) };
  } catch {
    // The cause would quote the password.
    throw new RelayUrlError("must have user and password percent-encoded");
  }
}

function flag(url: URL, name: string, absent: boolean): boolean {
  const value = url.searchParams.get(name);
  if (value !== null && value !== "true" && value !== "false") {
    throw new RelayUrlError(`must have ${name}=true or ${name}=false`);
  }
  return value === null ? absent : value === "true";
}
