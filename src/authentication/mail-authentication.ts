/** The only importer of mailauth. */
import { authenticate, type AuthenticateResult } from "mailauth";
import { DnsFault, type Lookup, readTags } from "./dns.ts";

/** Properties of a mail's SMTP session that authentication uses. */
export interface MailOrigin {
  readonly clientAddress: string;
  readonly ehlo: string | null;
  /** "" for the null reverse-path. */
  readonly mailFrom: string;
}

/** Results of sender authentication. */
export interface AuthenticationVerdicts {
  /** RFC 7208. */
  readonly spf: Verdict;
  /** RFC 6376, one for each of the first 20 signatures, in order; a single one for an unsigned mail. */
  readonly dkim: readonly [Verdict, ...Verdict[]];
  /** RFC 7489. */
  readonly dmarc: Verdict;
  /** RFC 8617. */
  readonly arc: Verdict;
  /** Record of the indicator; the image itself is not fetched. */
  readonly bimi: Verdict;
}

/**
 * Authenticates a mail strictly by the RFCs, over its bytes as received. `origin` is null for a mail that was not
 * received by SMTP, whose SPF cannot be checked. Never rejects because of the mail or DNS.
 */
export async function authenticateMail(
  raw: Uint8Array,
  origin: MailOrigin | null,
  lookup: Lookup,
): Promise<AuthenticationVerdicts> {
  const found = await authenticateBytes(raw, origin, lookup);
  const [first = verdict("Warning", "The mail has no DKIM signature."), ...others] =
    found.dkim.results.map(dkimVerdict);
  return {
    spf:
      origin === null
        ? verdict("Warning", "This mail was not received by SMTP, so SPF cannot be checked.")
        : spfVerdict(found),
    dkim: [first, ...others],
    dmarc: dmarcVerdict(found),
    arc: arcVerdict(found),
    bimi: bimiVerdict(found),
  };
}

/** Result of one DKIM signature (RFC 6376). */
export interface SignatureVerdict {
  /** Signing domain; "" for a signature without one. */
  readonly domain: string;
  /** `unverified` when DNS did not answer. */
  readonly result: "pass" | "fail" | "unverified";
  /** Names of the covered header fields that the mail has, in lower case. */
  readonly fields: readonly string[];
}

/** Verifies the first 20 DKIM signatures; empty for an unsigned mail. Never rejects because of the mail or DNS. */
export async function verifySignatures(raw: Uint8Array, lookup: Lookup): Promise<readonly SignatureVerdict[]> {
  const { dkim } = await authenticateBytes(raw, null, lookup);
  return dkim.results
    .filter(({ status }) => status.result !== "none")
    .map(({ signingDomain = "", signingHeaders, status }) => ({
      domain: signingDomain,
      result: status.result === "pass" ? "pass" : status.result === "temperror" ? "unverified" : "fail",
      fields: (signingHeaders?.keys ?? "").split(":").map((name) => name.trim().toLowerCase()),
    }));
}

async function authenticateBytes(
  raw: Uint8Array,
  origin: MailOrigin | null,
  lookup: Lookup,
): Promise<AuthenticateResult> {
  return authenticate(limitSignatures(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)), {
    ip: origin?.clientAddress ?? noAddress,
    helo: origin?.ehlo ?? "unknown.invalid",
    sender: origin?.mailFrom ?? "",
    mta: "restante.invalid",
    trustReceived: false,
    strict: true,
    resolver: (name, type) => forMailauth(lookup, name, type),
  });
}

/** Reserved address (RFC 6890), which no record authorises. */
const noAddress = "192.0.2.0";

const results: Readonly<Record<string, CheckResult>> = {
  pass: "Pass",
  fail: "Fail",
  permerror: "Fail",
  policy: "Fail",
  softfail: "Warning",
  neutral: "Warning",
  none: "Warning",
  temperror: "Timeout",
};

/** Results of RFC 8601 §2.7 as predicates. */
const predicates: Readonly<Record<string, string>> = {
  pass: "passed",
  fail: "failed",
  softfail: "failed softly",
  neutral: "was neutral",
  none: "has no record",
  policy: "failed by local policy",
  permerror: "failed with a permanent error",
  temperror: "could not be checked now",
};

function outcomeOf(result: string): string {
  return predicates[result] ?? `had the result ${result}`;
}

function spfVerdict({ spf }: AuthenticateResult): Verdict {
  if (spf === false) return verdict("Warning", "The SMTP session has no domain that SPF could check.");
  const { result, comment } = spf.status;
  const reason = comment === undefined || comment === "" ? "" : `: ${withoutHost(comment)}`;
  return verdict(results[result] ?? "Fail", `SPF ${outcomeOf(result)} for ${spf.domain}${reason}.`, spf.rr ?? "");
}

function dkimVerdict(one: AuthenticateResult["dkim"]["results"][number]): Verdict {
  const { result, comment } = one.status;
  if (result === "none") return verdict("Warning", "The mail has no DKIM signature.");
  const reason = comment === undefined || comment === "" ? "" : `: ${comment}`;
  const who = `DKIM signature of ${one.signingDomain || "an unknown domain"} (selector ${one.selector || "none"})`;
  const aligned = one.status.aligned ? "" : " Its domain is not aligned with From.";
  // An invalid signature is an error of the sender, although RFC 8601 may call it neutral.
  const word = result === "neutral" ? "Fail" : (results[result] ?? "Fail");
  return verdict(word, `${who} ${outcomeOf(result)}${reason}.${result === "pass" ? aligned : ""}`, one.rr ?? "");
}

function dmarcVerdict({ dmarc, dmarcSkipReason }: AuthenticateResult): Verdict {
  if (dmarc === false) return verdict("Fail", `DMARC cannot be checked: ${dmarcSkipReason ?? "From has no domain"}.`);
  const { result } = dmarc.status;
  if (result === "none")
    return verdict("Warning", `${dmarc.domain || "The author's domain"} publishes no DMARC policy.`);
  const policy = dmarc.policy ? ` under the policy ${dmarc.policy}` : "";
  return verdict(results[result] ?? "Fail", `DMARC ${outcomeOf(result)} for ${dmarc.domain}${policy}.`, dmarc.rr ?? "");
}

function arcVerdict({ arc }: AuthenticateResult): Verdict {
  const result = arc === false ? "none" : arc.status.result;
  if (arc === false || result === "none") return verdict("Pass", "The mail has no ARC chain.");
  const reason = arc.status.comment === undefined ? "" : `: ${arc.status.comment}`;
  return verdict(results[result] ?? "Fail", `ARC chain ${outcomeOf(result)}${reason}.`);
}

function bimiVerdict({ bimi }: AuthenticateResult): Verdict {
  if (bimi === false) return verdict("Warning", "BIMI needs DMARC, which could not be checked.");
  const { result, comment } = bimi.status;
  const reason = comment === undefined ? "" : `: ${comment}`;
  if (result === "pass")
    return verdict("Pass", `The indicator is published at ${bimi.location ?? ""}; it was not fetched.`, bimi.rr ?? "");
  return verdict(results[result] ?? "Warning", `BIMI ${outcomeOf(result)}${reason}.`, bimi.rr ?? "");
}

/** Removes the name of the receiving host, which the library puts before its comments. */
function withoutHost(comment: string): string {
  return comment.replace(/^restante\.invalid: /, "").replace(/\.$/, "");
}

/** Returns records and errors in the form of node:dns. */
async function forMailauth(lookup: Lookup, name: string, type: string): Promise<string[][] | string[]> {
  try {
    const records = await lookup(name, type as Parameters<Lookup>[1]);
    if (type === "TXT") return records.map((record) => [record]);
    if (type === "MX") return records.map(toMx) as unknown as string[];
    return [...records];
  } catch (error) {
    throw Object.assign(new Error((error as Error).message), { code: codeOf(error) });
  }
}

function codeOf(error: unknown): string {
  if (!(error instanceof DnsFault)) return "ESERVFAIL";
  return { absent: "ENOTFOUND", timeout: "ETIMEOUT", failed: "ESERVFAIL" }[error.kind];
}

function toMx(record: string): { priority: number; exchange: string } {
  const [priority = "0", exchange = ""] = record.split(" ");
  return { priority: Number(priority), exchange };
}

/** Signatures of one mail that are verified: each may require hashing the whole body again (RFC 6376 §6.1). */
export const signatureCountMax = 20;

const name = Buffer.from("dkim-signature:");
const lf = 10;
const cr = 13;
const blanks: ReadonlySet<number | undefined> = new Set([9, 32]);

/**
 * Returns the mail without the DKIM-Signature fields after the first {@link signatureCountMax}; the same bytes if there
 * are no more. Linear in the header section.
 */
export function limitSignatures(raw: Buffer): Buffer {
  const chunks: Buffer[] = [];
  let count = 0;
  let from = 0;
  for (let at = 0; at < raw.length && !isLineEnd(raw, at);) {
    const end = fieldEnd(raw, at);
    if (isSignature(raw, at) && ++count > signatureCountMax) {
      chunks.push(raw.subarray(from, at));
      from = end;
    }
    at = end;
  }
  return from === 0 ? raw : Buffer.concat([...chunks, raw.subarray(from)]);
}

/** Returns the offset after a field: after its first line end that no blank follows. */
function fieldEnd(raw: Buffer, start: number): number {
  for (let at = start; ;) {
    const found = raw.indexOf(lf, at);
    if (found < 0) return raw.length;
    at = found + 1;
    if (!blanks.has(raw[at])) return at;
  }
}

function isLineEnd(raw: Buffer, at: number): boolean {
  return raw[at] === lf || (raw[at] === cr && raw[at + 1] === lf);
}

function isSignature(raw: Buffer, at: number): boolean {
  return raw.toString("latin1", at, at + name.length).toLowerCase() === name.toString("latin1");
}

/** Result of a check, in the values that the official libraries know. */
export type CheckResult = "Pass" | "Warning" | "Fail" | "Timeout";

/** Result of one check of sender authentication. */
export interface Verdict {
  readonly result: CheckResult;
  /** One or two sentences. */
  readonly description: string;
  /** DNS record that decided; "" if there is none. */
  readonly rawValue: string;
  /** Tags of the record. */
  readonly tags: Readonly<Record<string, string>>;
}

/** Returns a verdict on a record, with the tags parsed from it. */
function verdict(result: CheckResult, description: string, rawValue = ""): Verdict {
  return { result, description, rawValue, tags: readTags(rawValue) };
}
