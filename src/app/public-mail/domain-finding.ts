/** Findings about a domain, and the records that they compare. */
import { DnsFault, type Lookup, openDns, type RecordType, readTags } from "../../authentication/dns.ts";
import type { Config } from "../settings/config.ts";
import { dnsSource } from "./public-mail.ts";

/**
 * Result for one subject. `fix`: mail does not arrive, or less securely than it could; `note`: worth knowing; `unknown`: DNS did not
 * answer.
 */
export interface DomainFinding {
  readonly subject: string;
  readonly status: "ok" | "fix" | "note" | "unknown";
  /** State and remedy in one or two sentences; may be empty with `ok`. */
  readonly text: string;
  /** Record to add, or the one that was found, in the form of zone files; null where no record is concerned. */
  readonly record: string | null;
}

/** Time for all look-ups of one check. */
const checkMsMax = 20_000;
/** Records of one name and type that are compared. */
const recordCountMax = 1000;
/** Length at which a record is cut in a sentence. */
const shownLengthMax = 200;

/** Returns the look-ups of one check of a domain: in a zone file, or by the resolver of the settings. Throws `ZoneError` for a malformed zone. */
export function openDomainLookup(config: Config, zone: string | null): Lookup {
  return openDns(zone === null ? dnsSource(config) : { kind: "fixtures", zone }, checkMsMax);
}

/** Returns the records of a name, at most {@link recordCountMax}; empty where there are none. */
export async function recordsOf(lookup: Lookup, name: string, type: RecordType): Promise<readonly string[]> {
  try {
    return (await lookup(name, type)).slice(0, recordCountMax);
  } catch (error) {
    if (error instanceof DnsFault && error.kind === "absent") return [];
    throw error;
  }
}

/** Returns the addresses of a host, IPv4 before IPv6. */
export const addressesOf = async (lookup: Lookup, host: string): Promise<readonly string[]> =>
  (await Promise.all([recordsOf(lookup, host, "A"), recordsOf(lookup, host, "AAAA")])).flat();

/** Returns text of others in visible ASCII, so that it cannot control a terminal. */
export function shown(text: string): string {
  return text.slice(0, shownLengthMax).replaceAll(/[^ -~]/g, "?");
}

/** Returns the finding that a record is as it should be. */
export function ok(subject: string, record: string): DomainFinding {
  return { subject, status: "ok", text: "", record };
}

/** Returns the finding that a host answers as it should. */
export function answers(subject: string, text: string): DomainFinding {
  return { subject, status: "ok", text, record: null };
}

/** Returns a finding to fix. */
export function fix(subject: string, text: string, record: string | null): DomainFinding {
  return { subject, status: "fix", text, record };
}

/** Returns a finding that is worth knowing. */
export function note(subject: string, text: string, record: string | null): DomainFinding {
  return { subject, status: "note", text, record };
}

/** Finds the only TXT record of a version, of which receivers ignore several. */
async function versioned(
  lookup: Lookup,
  name: string,
  version: RegExp,
): Promise<{ readonly record: string | null; readonly isRepeated: boolean }> {
  const found = (await recordsOf(lookup, name, "TXT")).filter((record) => version.test(record));
  return { record: found[0] ?? null, isRepeated: found.length > 1 };
}

/** Rule for a TXT record. `fault` returns the fault in the tags of a record, or undefined. */
export interface TextRule {
  readonly subject: string;
  readonly name: string;
  readonly version: RegExp;
  readonly wanted: string;
  /** Effect of a missing record, as a sentence. */
  readonly absence: string;
  readonly fault: (tags: Readonly<Record<string, string>>) => string | undefined;
}

/** Returns the finding about a TXT record of which a name must have exactly one. */
export async function judgeText(rule: TextRule, lookup: Lookup): Promise<readonly DomainFinding[]> {
  const { subject, name } = rule;
  const wanted = `${name}. TXT "${rule.wanted}"`;
  const { record, isRepeated } = await versioned(lookup, name, rule.version);
  if (record === null) return [fix(subject, `${rule.absence}: add the record`, wanted)];
  if (isRepeated) return [fix(subject, `${name} has several such records, of which none counts: keep one`, wanted)];
  const fault = rule.fault(readTags(record));
  if (fault !== undefined) return [fix(subject, `${fault} (found: ${shown(record)})`, wanted)];
  return [ok(subject, `${name}. TXT "${shown(record)}"`)];
}
