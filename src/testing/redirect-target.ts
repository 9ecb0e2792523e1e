/** Target of redirected requests. Runs inside programs under test, on Node 20 or newer. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { readServiceFile } from "../app/service-file.ts";

/** Service that requests are redirected to. */
export interface RedirectTarget {
  /** `http:` or `https:`, without path. */
  readonly origin: URL;
  /** PEM to trust for these requests only; null where the process's own trust decides. */
  readonly ca: string | null;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the service of `RESTANTE_REDIRECT_URL` (with the CA file of `RESTANTE_REDIRECT_CA`), else the one of the service
 * file in `RESTANTE_DATA_DIR` or `./restante-data`. Throws an `Error` for the user when there is none, so that the request is
 * not sent to the hosted service.
 */
export function findRedirectTarget(environment: Environment): RedirectTarget {
  const given = environment["RESTANTE_REDIRECT_URL"];
  const caFile = environment["RESTANTE_REDIRECT_CA"];
  if (given) return { origin: readOrigin(given), ca: caFile ? readFileSync(caFile, "utf8") : null };
  const dataDir = resolve(environment["RESTANTE_DATA_DIR"] || "./restante-data");
  const address = readServiceFile(dataDir);
  const url = address?.url ?? address?.httpsUrl;
  if (address === undefined || !url) {
    throw refusal(`no service runs in ${dataDir}; start one, or name it by RESTANTE_REDIRECT_URL or RESTANTE_DATA_DIR`);
  }
  return { origin: new URL(url), ca: address.caFile === null ? null : readFileSync(address.caFile, "utf8") };
}

function readOrigin(given: string): URL {
  let url: URL;
  try {
    url = new URL(given);
  } catch {
    // The parser's message adds nothing.
    throw refusal("RESTANTE_REDIRECT_URL is not a URL");
  }
  if (!/^https?:$/.test(url.protocol)) throw refusal("RESTANTE_REDIRECT_URL must begin with http:// or https://");
  if (isHostedName(url.hostname)) throw refusal("RESTANTE_REDIRECT_URL must name another host than mailosaur.com");
  return url;
}

/** Whether a host name is the redirected one, ignoring a trailing dot and case. */
export function isHostedName(host: string): boolean {
  return normalized(host) === "mailosaur.com";
}

/** Returns the prefix of the paths of a redirected host, "" for the hosted service; null for all other hosts. */
export type PrefixOfHost = (host: string) => string | null;

/**
 * Returns the prefixes of the hosted service and of the providers in `RESTANTE_REDIRECT_PROVIDERS`: `host=name,…`, where `*`
 * stands for one label of the host name.
 */
export function prefixesOf(environment: Environment): PrefixOfHost {
  const rows = (environment["RESTANTE_REDIRECT_PROVIDERS"] ?? "").split(",").flatMap((row) => {
    const [, host = "", name = ""] = /^([a-z0-9.*-]+)=([a-z]+)$/.exec(row) ?? [];
    const pattern = host.replaceAll(".", "\\.").replaceAll("*", "[a-z0-9-]{1,63}");
    return host === "" ? [] : [{ pattern: new RegExp(`^${pattern}$`), prefix: `/providers/${name}` }];
  });
  return (host) => {
    if (isHostedName(host)) return "";
    return rows.find(({ pattern }) => pattern.test(normalized(host)))?.prefix ?? null;
  };
}

function normalized(host: string): string {
  return host.toLowerCase().replace(/\.$/, "");
}

function refusal(reason: string): Error {
  return new Error(`restante/redirect: a request for mailosaur.com was stopped, for ${reason}`);
}
