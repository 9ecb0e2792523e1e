/** Forms of setting values. */
import { isIP } from "node:net";
import { isAbsolute, resolve } from "node:path";
import { isNetwork } from "../../core/ip-address.ts";
import { compileAllowed } from "../../egress/policy.ts";
import { readRelayUrl } from "../../egress/relay/relay-url.ts";
import { readBlobUrl } from "../../store/postgres/content/blobs.ts";
import { readDatabaseUrl } from "../../store/postgres/connection/connection-url.ts";
import { parsePhoneNumber } from "../../core/phone-number.ts";
import { parseServerId, type ServerId } from "../../core/ids.ts";
import type { CatchAll, ConfiguredNumber, ConfiguredServer, DnsChoice, Form, HostAndPort } from "./setting.ts";

/** Path in the file system, made absolute. */
export const path: Form<string> = {
  allowed: "a path",
  read: (given) => given || undefined,
  normalise: (given) => resolve(given),
};

/** `auto`, `off`, or the absolute path of a program. */
export const browser: Form<string> = {
  allowed: "auto, off, or the absolute path of a Chromium",
  read: (given) => (given === "auto" || given === "off" || isAbsolute(given) ? given : undefined),
};

/** TCP port to listen on; 0 means any free port, null means `off`. */
export const port: Form<number | null> = {
  allowed: "a port from 0 to 65535 (0 picks a free one) or off",
  read: (given) => (given === "off" ? null : readInteger(given, 0, 65_535)),
};

/** IP addresses and networks, separated by commas. */
export const networks: Form<readonly string[]> = {
  allowed: "addresses and networks separated by commas, such as 192.0.2.7,10.0.0.0/8,fd00::/8",
  read: (given) => {
    const all = given.split(",").map((one) => one.trim());
    return all.every(isNetwork) ? all : undefined;
  },
};

/** Names of providers, separated by commas; unknown ones are reported when the service starts. */
export const providerNames: Form<readonly string[]> = {
  allowed: "names of providers, as in `/providers/<name>`, separated by commas",
  read: (given) => {
    const all = given.split(",").map((one) => one.trim());
    return all.every((one) => /^[a-z]{1,40}$/.test(one)) ? all : undefined;
  },
};

/** Host name of at least two labels, in lower case (RFC 1123 §2.1). */
export const domain: Form<string> = {
  allowed: "a domain of at least two labels, such as mail.example",
  read: (given) => {
    const lower = given.toLowerCase();
    return lower.length <= 240 && domainPattern.test(lower) ? lower : undefined;
  },
};

/** Domains, separated by commas. */
export const domains: Form<readonly string[]> = {
  allowed: "domains of at least two labels separated by commas",
  read: (given) => {
    const all = given.split(",").map((one) => domain.read(one.trim()));
    return all.every((one) => one !== undefined) ? all : undefined;
  },
};

/** Key that is valid as user name of HTTP Basic (RFC 7617 §2: no colon) and as bearer token. */
export const apiKey: Form<string> = {
  allowed: "8 to 256 visible ASCII characters without a colon",
  read: (given) => (/^[!-9;-~]{8,256}$/.test(given) ? given : undefined),
};

/** Bearer token (RFC 6750 §2.1). */
export const bearerToken: Form<string> = {
  allowed: "16 to 2048 characters of a bearer token: letters, digits and -._~+/=",
  read: (given) => (/^[\w\-.~+/]{16,2048}=*$/.test(given) ? given : undefined),
};

/** Secret that is long enough to resist guessing. */
export const secretKey: Form<string> = {
  allowed: "16 to 256 visible ASCII characters",
  read: (given) => (/^[!-~]{16,256}$/.test(given) ? given : undefined),
};

/** `host` or `host:port`; the default port is 783 (spamd). IPv6 addresses are in square brackets. */
export const hostAndPort: Form<HostAndPort | null> = {
  allowed: "host or host:port, such as 127.0.0.1:783",
  read: (given) => {
    const [, bracketed, name, portText = "783"] =
      /^(?:\[([0-9A-Fa-f:]+)\]|([A-Za-z0-9.-]+))(?::(\d{1,5}))?$/.exec(given) ?? [];
    const host = bracketed ?? name;
    const number = readInteger(portText, 1, 65_535);
    return host === undefined || number === undefined ? undefined : { host, port: number };
  },
};

/** DNS resolver, see {@link DnsChoice}. */
export const dns: Form<DnsChoice> = {
  allowed: "system, off, or addresses of resolvers, such as 127.0.0.1:5353,1.1.1.1",
  read: (given) => {
    if (given === "system" || given === "off") return given;
    const resolvers = given.split(",").map((one) => one.trim());
    const isResolver = (one: string): boolean => {
      const [, bracketed, plain, portText = "53"] = /^(?:\[([0-9A-Fa-f:]+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(one) ?? [];
      return isIP(one) > 0 || (isIP(bracketed ?? plain ?? "") > 0 && readInteger(portText, 1, 65_535) !== undefined);
    };
    return resolvers.every(isResolver) ? resolvers : undefined;
  },
};

/** `id:name,id:name`, each id once; null when not set. */
export const servers: Form<readonly ConfiguredServer[] | null> = {
  allowed: "id:name,id:name with ids of eight letters or digits, each once, and names that are not empty",
  read: (given) => {
    const all = given.split(",").map(readServer);
    const ids = new Set(all.map((server) => server?.id));
    return ids.size === all.length && !ids.has(undefined) ? (all as ConfiguredServer[]) : undefined;
  },
};

/** `first`, `off` or a server id. */
export const catchAll: Form<CatchAll> = {
  allowed: "first, off or the id of a server",
  read: (given) => (given === "first" || given === "off" ? given : parseServerId(given)),
};

/** Id of a server. */
export const serverId: Form<ServerId | null> = { allowed: "the id of a server", read: parseServerId };

/** URL with http or https, without query, fragment or credentials; a trailing slash is removed. */
export const baseUrl: Form<string> = {
  allowed: "an http:// or https:// URL without credentials, query or fragment",
  read: (given) => {
    const url = URL.parse(given);
    if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
    if (url.username || url.password || url.search || url.hash) return undefined;
    return url.href.replace(/\/$/, "");
  },
};

/** Absolute path of URLs, without the slash at its end; empty for `/`. */
export const basePath: Form<string> = {
  allowed: "a path such as /mailpit, of letters, digits and the characters / - . _ ~",
  read: (given) => (/^(?:\/[\w.~-]+)*\/?$/.test(given) ? given.replace(/\/$/, "") : undefined),
};

/** URL of an SMTP relay, stored as given; the relay client parses it. */
export const relayUrl: Form<string> = {
  allowed: "smtp://user:password@host:port or smtps://…, percent-encoded, with ?requireTLS and ?verifyCertificate only",
  read: (given) => readableBy(readRelayUrl, given),
};

/** URL of a database, stored as given; the store parses it. */
export const databaseUrl: Form<string> = {
  allowed:
    "postgres://user:password@host:port,host:port/database, percent-encoded, with ?sslmode, sslrootcert, sslcert, sslkey, target_session_attrs, connect_timeout, application_name and host only",
  read: (given) => readableBy(readDatabaseUrl, given),
};

/** URL of an S3 bucket, stored as given; the store parses it. */
export const blobUrl: Form<string> = {
  allowed: "s3://key:secret@host:port/bucket/prefix, percent-encoded, with ?region and tls=off only",
  read: (given) => readableBy(readBlobUrl, given),
};

/** Addresses, and domains with a leading @, separated by commas. */
export const verified: Form<readonly string[]> = {
  allowed: "plain addresses and @domains separated by commas, such as alice@corp.example,@corp.example",
  read: (given) => {
    const entries = given.split(",").map((entry) => entry.trim());
    return compileAllowed(entries, []).refused.length === 0 ? entries : undefined;
  },
};

/** `+number:serverId`, separated by commas, each number once. */
export const numbers: Form<readonly ConfiguredNumber[]> = {
  allowed: "+number:serverId separated by commas, such as +15550100:abcd1234",
  read: (given) => {
    const all = given.split(",").map(readNumber);
    const unique = new Set(all.map((one) => one?.number));
    return unique.size === all.length && !unique.has(undefined) ? (all as ConfiguredNumber[]) : undefined;
  },
};

/** Phrases separated by commas. */
export const phrases: Form<readonly string[]> = {
  allowed: "phrases of at most 160 characters separated by commas",
  read: (given) => {
    const all = given.split(",").map((phrase) => phrase.trim());
    return all.every((phrase) => phrase !== "" && phrase.length <= 160) ? all : undefined;
  },
};

/** Origins of http and https URLs, separated by commas. */
export const origins: Form<readonly string[]> = {
  allowed: "http://host:port and https://host:port without a path, separated by commas",
  read: (given) => {
    const all = given.split(",").map((origin) => URL.parse(origin.trim()));
    const isOrigin = (url: URL | null): boolean =>
      url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
    return all.every(isOrigin) ? all.map((url) => url?.origin ?? "") : undefined;
  },
};

/** DKIM selector: one or more labels of a host name (RFC 6376 §3.1). */
export const selector: Form<string> = {
  allowed: "letters, digits, hyphens and dots",
  read: (given) => (/^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?$/i.test(given) ? given : undefined),
};

/** `yes` or `no`. */
export const yesOrNo: Form<boolean> = {
  allowed: "yes or no",
  read: (given) => (given === "yes" ? true : given === "no" ? false : undefined),
};

/** Returns the form of an enumeration. */
export function oneOf<const T extends string>(words: readonly T[]): Form<T> {
  return { allowed: words.join(", "), read: (given) => words.find((word) => word === given) };
}

/** Returns the form of decimal integers within inclusive bounds. */
export function integer(min: number, max: number): Form<number> {
  return { allowed: `an integer from ${min} to ${max}`, read: (given) => readInteger(given, min, max) };
}

function readableBy(reader: (text: string) => unknown, given: string): string | undefined {
  try {
    reader(given);
    return given;
  } catch {
    // The reader throws on invalid values; the caller reports them.
    return undefined;
  }
}

const domainPattern = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

function readInteger(given: string, min: number, max: number): number | undefined {
  if (!/^\d{1,15}$/.test(given)) return undefined;
  const number = Number(given);
  return number >= min && number <= max ? number : undefined;
}

function readServer(given: string): ConfiguredServer | undefined {
  const colon = given.indexOf(":");
  const id = parseServerId(given.slice(0, Math.max(0, colon)).trim());
  const name = given.slice(colon + 1).trim();
  return id !== undefined && name !== "" ? { id, name } : undefined;
}

function readNumber(given: string): ConfiguredNumber | undefined {
  const colon = given.indexOf(":");
  const number = parsePhoneNumber(given.slice(0, Math.max(0, colon)));
  const server = parseServerId(given.slice(colon + 1).trim());
  return number !== undefined && server !== undefined ? { number, server } : undefined;
}
