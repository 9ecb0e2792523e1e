/** What the checks ask the name system, whoever answers. */
import { Resolver } from "node:dns/promises";
import { parseZone, type Zone } from "./zone.ts";

/** The record types that are asked for. */
export type RecordType = "A" | "AAAA" | "CNAME" | "MX" | "NS" | "PTR" | "TXT";

/**
 * Answers of one name and type, as texts: a TXT record's strings joined, an MX as `10 mx.example.com`, addresses and
 * names as they are. Rejects with a {@link DnsFault}; never answers an empty list.
 */
export type Lookup = (name: string, type: RecordType) => Promise<readonly string[]>;

/** Why there is no answer: the name or type does not exist; nobody answered in time; anything else. */
export type DnsFaultKind = "absent" | "timeout" | "failed";

/** No answer. */
export class DnsFault extends Error {
  override readonly name: string = "DnsFault";
  readonly kind: DnsFaultKind;

  constructor(kind: DnsFaultKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Who is asked. Plain values, so that it can cross to another thread. */
export type DnsSource =
  | { readonly kind: "off" }
  /** The resolver of this machine. */
  | { readonly kind: "system" }
  /** `address` or `address:port` of resolvers. */
  | { readonly kind: "servers"; readonly servers: readonly string[] }
  /** A zone file in the place of all the world's names. */
  | { readonly kind: "fixtures"; readonly zone: string };

const queryTimeoutMs = 2000;
/** Lookups that one report may cost: SPF has its own bound, signatures and block lists come on top. */
const lookupCountMax = 150;

/**
 * Opens a source for one report: everything is answered until `deadlineMs` have passed, and a timeout from then on. Equal
 * questions are asked once; beyond 150 different ones every further one fails.
 */
export function openDns(source: DnsSource, deadlineMs: number): Lookup {
  const ask = lookupOf(source);
  const late = AbortSignal.timeout(deadlineMs);
  const known = new Map<string, Promise<readonly string[]>>();
  return (name, type) => {
    const question = `${type} ${name.toLowerCase()}`;
    const asked = known.get(question);
    if (asked !== undefined) return asked;
    if (known.size >= lookupCountMax) return Promise.reject(new DnsFault("failed", "Too many lookups for one message"));
    const answer = before(late, ask(name, type));
    known.set(question, answer);
    return answer;
  };
}

function lookupOf(source: DnsSource): Lookup {
  if (source.kind === "fixtures") return askZone(parseZone(source.zone));
  if (source.kind === "servers") return askResolver(source.servers);
  if (source.kind === "system") return askResolver(null);
  return () => Promise.reject(new DnsFault("timeout", "The name system is switched off (RESTANTE_DNS)"));
}

function askZone(zone: Zone): Lookup {
  return async (name, type) => {
    const records = zone.find(name, type);
    if (records.length === 0) throw new DnsFault("absent", `The zone has no ${type} record of ${name}`);
    return records;
  };
}

function askResolver(servers: readonly string[] | null): Lookup {
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

async function before<Result>(late: AbortSignal, answer: Promise<Result>): Promise<Result> {
  const timeout = new Promise<never>((_, reject) => {
    const give = (): void => {
      reject(new DnsFault("timeout", "The name system did not answer in time"));
    };
    if (late.aborted) give();
    else late.addEventListener("abort", give, { once: true });
  });
  return Promise.race([answer, timeout]);
}
