/** DNS look-ups of the checks, by a resolver or a zone file, and the tags of records. */
import { Resolver } from "node:dns/promises";
import { parseZone, type Zone } from "./zone.ts";

/** Record types that are queried. */
export type RecordType = "A" | "AAAA" | "CNAME" | "MX" | "NS" | "PTR" | "TXT";

/**
 * Returns the records of a name and type as text: the strings of a TXT record joined, an MX as `10 mx.example.com`,
 * addresses and names as they are. Rejects with a {@link DnsFault}; never resolves to an empty list.
 */
export type Lookup = (name: string, type: RecordType) => Promise<readonly string[]>;

/** Reason for a failed look-up: the name or type does not exist (`absent`), a time-out, or anything else. */
export type DnsFaultKind = "absent" | "timeout" | "failed";

/** Failed look-up. */
export class DnsFault extends Error {
  override readonly name: string = "DnsFault";
  readonly kind: DnsFaultKind;

  constructor(kind: DnsFaultKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Source of DNS records. Plain values, so that it can be sent to another thread. */
export type DnsSource =
  | { readonly kind: "off" }
  /** Resolver of this machine. */
  | { readonly kind: "system" }
  /** Addresses of resolvers, `address` or `address:port`. */
  | { readonly kind: "servers"; readonly servers: readonly string[] }
  /** Zone file that replaces DNS. */
  | { readonly kind: "fixtures"; readonly zone: string };

const queryTimeoutMs = 2000;
/** Largest number of look-ups for one report, including SPF (which has its own limit), signatures and block lists. */
const lookupCountMax = 150;

/**
 * Opens a source for one report. Look-ups time out once `deadlineMs` have passed. Equal queries are sent once; after
 * 150 different queries every further one fails.
 */
export function openDns(source: DnsSource, deadlineMs: number): Lookup {
  const lookup = lookupOf(source);
  const deadline = AbortSignal.timeout(deadlineMs);
  const known = new Map<string, Promise<readonly string[]>>();
  return (name, type) => {
    const query = `${type} ${name.toLowerCase()}`;
    const pending = known.get(query);
    if (pending !== undefined) return pending;
    if (known.size >= lookupCountMax) return Promise.reject(new DnsFault("failed", "Too many lookups for one message"));
    const answer = withDeadline(deadline, lookup(name, type));
    known.set(query, answer);
    return answer;
  };
}

function lookupOf(source: DnsSource): Lookup {
  if (source.kind === "fixtures") return zoneLookup(parseZone(source.zone));
  if (source.kind === "servers") return resolverLookup(source.servers);
  if (source.kind === "system") return resolverLookup(null);
  return () => Promise.reject(new DnsFault("timeout", "DNS is disabled by RESTANTE_DNS"));
}

function zoneLookup(zone: Zone): Lookup {
  return async (name, type) => {
    const records = zone.find(name, type);
    if (records.length === 0) throw new DnsFault("absent", `The zone has no ${type} record of ${name}`);
    return records;
  };
}

function resolverLookup(servers: readonly string[] | null): Lookup {
  const resolver = new Resolver({ timeout: queryTimeoutMs, tries: 2 });
  if (servers !== null) resolver.setServers(servers);
  return async (name, type) => {
    try {
      const records = await resolveWith(resolver, name, type);
      if (records.length > 0) return records;
    } catch (error) {
      throw new DnsFault(
        faultKinds[(error as NodeJS.ErrnoException).code ?? ""] ?? "failed",
        `${type} ${name}: ${(error as Error).message}`,
      );
    }
    throw new DnsFault("absent", `${name} has no ${type} record`);
  };
}

async function resolveWith(resolver: Resolver, name: string, type: RecordType): Promise<readonly string[]> {
  if (type === "TXT") return (await resolver.resolveTxt(name)).map((strings) => strings.join(""));
  if (type === "MX") return (await resolver.resolveMx(name)).map(({ priority, exchange }) => `${priority} ${exchange}`);
  return resolver.resolve(name, type);
}

const faultKinds: Readonly<Record<string, DnsFaultKind>> = {
  ENOTFOUND: "absent",
  ENODATA: "absent",
  EBADNAME: "absent",
  ETIMEOUT: "timeout",
  ECONNREFUSED: "timeout",
  ECANCELLED: "timeout",
};

async function withDeadline<Result>(deadline: AbortSignal, answer: Promise<Result>): Promise<Result> {
  const timeout = new Promise<never>((_, reject) => {
    const timeOut = (): void => {
      reject(new DnsFault("timeout", "DNS did not answer in time"));
    };
    if (deadline.aborted) timeOut();
    else deadline.addEventListener("abort", timeOut, { once: true });
  });
  return Promise.race([answer, timeout]);
}

/**
 * Returns the tags of a record: `name=value` separated by semicolons (RFC 6376 §3.2), or by blanks for SPF (RFC 7208
 * §4.6.1), whose `all` is a tag too, with the qualifier as value. The first of equal names is used.
 */
export function readTags(record: string): Readonly<Record<string, string>> {
  const isSpf = /^v=spf1(?: |$)/i.test(record);
  const tags = new Map<string, string>();
  for (const term of record.split(isSpf ? " " : ";")) {
    const all = isSpf ? /^([-~?+]?)all$/i.exec(term) : null;
    const equals = term.indexOf("=");
    if (all !== null) setFirst(tags, "all", all[1] === "" ? "+" : (all[1] ?? "+"));
    else if (equals > 0) setFirst(tags, term.slice(0, equals).trim(), term.slice(equals + 1).trim());
  }
  return Object.fromEntries(tags);
}

function setFirst(tags: Map<string, string>, name: string, value: string): void {
  if (!tags.has(name)) tags.set(name, value);
}
