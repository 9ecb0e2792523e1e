import { faultStages, stagesOf, faultErrors, faultTlsFailures } from "../../core/fault.ts";
import type {
  FaultEnd,
  FaultMatch,
  FaultRule,
  FaultStage,
  FaultTrigger,
  FaultOutcome,
  FaultReply,
} from "../../core/fault.ts";
import { faultRuleCountMax, faultSpanMsMax, int32Max, faultDelayMsMax } from "../../core/limits.ts";
import { isNetwork } from "../../core/networks.ts";
import { parsePhoneNumber } from "../../core/phone-number.ts";
import { readIsoInstant } from "../../providers/formats/iso-instant.ts";
import { providers } from "../../providers/registry.ts";
import { readPattern } from "../callbacks/subscriptions.ts";
import { MemberReader, type MemberReaders } from "../services/member-reader.ts";

// Stages at which members of fault rules make sense.

const smtp = faultStages.filter((stage) => stage !== "request");
const withSender: readonly FaultStage[] = ["mail", "rcpt", "data", "after-data", "request"];
const withRecipient: readonly FaultStage[] = ["rcpt", "data", "after-data", "request"];

/** Stages at which what a member of `match` compares is known. */
const stagesOfMatch: Readonly<Record<Exclude<keyof FaultMatch, "stage">, readonly FaultStage[]>> = {
  sender: withSender,
  recipient: withRecipient,
  clientAddress: faultStages,
  provider: ["request"],
  userName: ["auth", "mail", "rcpt", "data", "after-data"],
};

/** Stages at which a member of `then` can take effect. */
const stagesOfOutcome: Readonly<Record<keyof FaultOutcome, readonly FaultStage[]>> = {
  reply: smtp,
  error: ["request"],
  drop: faultStages,
  loseReply: ["after-data", "request"],
  tls: ["connect", "starttls"],
  greylist: ["rcpt"],
  delayMs: faultStages,
  throttle: ["data", "request"],
  deliverAfterMs: withRecipient,
};

/** Members of `then` of which a rule has at most one. */
const mainOutcomes = ["reply", "error", "drop", "loseReply", "tls", "greylist"] as const;

/** Main members of `then` with which the mail is stored, so that it can be delivered later. */
const storingOutcomes: ReadonlySet<string> = new Set<keyof FaultOutcome>(["loseReply"]);

/** Longest text of a reply: a line of a reply has 512 bytes (RFC 5321 §4.5.3.1.5). */
const textLengthMax = 400;
const bytesPerSecondMax = 1_000_000_000;

/** Further names of effects. */
const aliases = { bytesPerSecond: "throttle", greylistMs: "greylist" } as const;

const readers: MemberReaders<FaultOutcome> = {
  reply: readReply,
  error: readError,
  drop: (member) => member.onlyTrue(),
  loseReply: (member) => member.onlyTrue(),
  tls: (member) => member.oneOf(faultTlsFailures),
  greylist: readGreylist,
  delayMs: (member) => member.whole(1, faultDelayMsMax),
  throttle: (member) => member.whole(1, bytesPerSecondMax),
  deliverAfterMs: (member) => member.whole(1, faultSpanMsMax),
};

/** Reads the `then` of a rule with these stages. */
function readOutcome(reader: MemberReader, stages: readonly FaultStage[]): FaultOutcome | undefined {
  const then = reader.object<FaultOutcome>(readers, [], aliases);
  if (then === undefined) return undefined;
  const names = reader
    .names()
    .map((name) => (Object.hasOwn(aliases, name) ? aliases[name as keyof typeof aliases] : name));
  if (names.length === 0) return reader.fail(`Must have one of ${Object.keys(readers).join(", ")}`, "required");
  for (const [name, possible] of Object.entries(stagesOfOutcome)) {
    const stage = names.includes(name) ? stages.find((one) => !possible.includes(one)) : undefined;
    if (stage !== undefined) reader.member(name).fail(`Has no effect at the stage ${stage}`);
  }
  const [main, other] = mainOutcomes.filter((name) => names.includes(name));
  if (other !== undefined) reader.fail(`Must have one of ${String(main)} and ${other}, not both`);
  if (main !== undefined && !storingOutcomes.has(main) && names.includes("deliverAfterMs")) {
    reader.fail(`With ${main} nothing is stored that could be delivered later: remove deliverAfterMs`);
  }
  return then;
}

function readReply(reader: MemberReader): FaultReply | undefined {
  const reply = reader.object<FaultReply>(
    { code: (member) => member.whole(400, 599), enhanced: readEnhancedStatus, text: readReplyText },
    ["code"],
    { enhancedStatus: "enhanced" },
  );
  const isSameClass = reply?.enhanced === undefined || reply.enhanced.startsWith(String(reply.code).charAt(0));
  if (!isSameClass) reader.member("enhanced").fail("Must begin with the first digit of the code", "invalid_status");
  return reply;
}

/** Reads the delay, as a member or as a number. */
function readGreylist(reader: MemberReader): FaultOutcome["greylist"] {
  if (typeof reader.value !== "number") {
    return reader.object<NonNullable<FaultOutcome["greylist"]>>({ delayMs: readSpan }, ["delayMs"]);
  }
  const delayMs = readSpan(reader);
  return delayMs === undefined ? undefined : { delayMs };
}

function readSpan(reader: MemberReader): number | undefined {
  return reader.whole(1, faultSpanMsMax);
}

function readEnhancedStatus(reader: MemberReader): string | undefined {
  const text = reader.text(textLengthMax);
  if (text === undefined || /^[45]\.\d{1,3}\.\d{1,3}$/.test(text)) return text;
  return reader.fail("Must be an enhanced status code, such as 4.7.1", "invalid_status");
}

function readReplyText(reader: MemberReader): string | undefined {
  const text = reader.text(textLengthMax);
  return text === undefined || /^[ -~]+$/.test(text) ? text : reader.fail("Must be printable ASCII in one line");
}

function readError(reader: MemberReader): FaultOutcome["error"] {
  if (typeof reader.value !== "object") return reader.oneOf(faultErrors);
  return reader.object<{ readonly status: number }>({ status: (member) => member.whole(400, 599) }, ["status"]);
}

const nameLengthMax = 100;
const patternLengthMax = 320;
const triggerNames = ["first", "after", "every", "above", "probability"];
const perMinuteMs = 60_000;

/** Returns the rules of a request body, `{"items": [rule, …]}` or `[rule, …]`. Throws a 400 that names every wrong and unknown member. */
export function readFaultRules(body: unknown): readonly FaultRule[] {
  const reader = new MemberReader(body);
  const names = new Set<string>();
  const readItems = (member: MemberReader): readonly FaultRule[] | undefined =>
    member.items(faultRuleCountMax, (item) => readRule(item, names));
  const items = Array.isArray(body)
    ? readItems(reader)
    : reader.object<{ readonly items: readonly FaultRule[] }>({ items: readItems }, ["items"])?.items;
  reader.finish();
  return items ?? [];
}

/** `names` are those of the rules before. */
function readRule(reader: MemberReader, names: Set<string>): FaultRule | undefined {
  let stages: readonly FaultStage[] = [];
  const readMatchOnce = (member: MemberReader): FaultMatch | undefined => {
    const match = readMatch(member);
    if (match !== undefined) stages = stagesOf({ match });
    return match;
  };
  const rule = reader.object<FaultRule>(
    {
      name: (member) => member.text(nameLengthMax),
      match: readMatchOnce,
      when: readTrigger,
      then: (member) => readOutcome(member, stages),
      until: readEnd,
    },
    ["name", "match", "then"],
  );
  if (rule === undefined) return undefined;
  if (names.has(rule.name)) reader.member("name").fail("Must differ from the names of the other rules");
  names.add(rule.name);
  return rule;
}

function readMatch(reader: MemberReader): FaultMatch | undefined {
  const match = reader.object<FaultMatch>(
    {
      stage: readStage,
      sender: readAddress,
      recipient: readRecipient,
      clientAddress: readNetwork,
      provider: (member) => member.oneOf(providers.map((one) => one.name)),
      userName: (member) => member.text(patternLengthMax),
    },
    ["stage"],
    { client: "clientAddress" },
  );
  if (match === undefined) return undefined;
  for (const [name, known] of Object.entries(stagesOfMatch)) {
    const early = Object.hasOwn(match, name) ? stagesOf({ match }).find((one) => !known.includes(one)) : undefined;
    if (early !== undefined) reader.member(name).fail(`Is not known at the stage ${early}`);
  }
  return match;
}

function readStage(reader: MemberReader): FaultMatch["stage"] | undefined {
  if (!Array.isArray(reader.value)) return reader.oneOf(faultStages);
  if (reader.value.length === 0) return reader.fail("Must name a stage", "required");
  const stages = reader.items(faultStages.length, (item) => item.oneOf(faultStages)) ?? [];
  return stages.length === 0 ? undefined : [...new Set(stages)];
}

function readAddress(reader: MemberReader): string | undefined {
  const text = reader.text(patternLengthMax)?.toLowerCase();
  if (text === undefined) return undefined;
  const description = "Must be one address, such as support@app.example, or a pattern, such as *@app.example";
  const isPart = text.includes("*") && !text.includes("@");
  if (isPart) return /^[!-~\u0080-\uffff]+$/.test(text) ? text : reader.fail(description);
  return reader.attempt(() => readPattern(text.replaceAll("*", "a")) && text, description);
}

function readRecipient(reader: MemberReader): string | undefined {
  const { value } = reader;
  if (typeof value !== "string" || !value.startsWith("+") || value.includes("@")) return readAddress(reader);
  return parsePhoneNumber(value) ?? reader.fail("Must be a phone number, such as +15550100");
}

function readNetwork(reader: MemberReader): string | undefined {
  const text = reader.text(patternLengthMax);
  if (text === undefined || isNetwork(text)) return text;
  return reader.fail("Must be an IP address, or a network such as 192.0.2.0/24");
}

function readTrigger(reader: MemberReader): FaultTrigger | undefined {
  const readCount = (member: MemberReader): number | undefined => member.whole(1, int32Max);
  const when = reader.object<FaultTrigger>(
    {
      first: readCount,
      after: readCount,
      every: readCount,
      above: readAbove,
      probability: readProbability,
      seed: (member) => member.whole(-int32Max, int32Max),
    },
    [],
    { aboveAMinute: "above" },
  );
  if (when === undefined) return undefined;
  const names = reader.names().map((name) => (name === "aboveAMinute" ? "above" : name));
  const kinds = triggerNames.filter((name) => names.includes(name));
  if (kinds.length !== 1) return reader.fail(`Must have exactly one of ${triggerNames.join(", ")}`);
  if (names.includes("seed") && kinds[0] !== "probability") reader.member("seed").fail("Requires probability");
  return when;
}

/** Reads a count and a window, or a number as the count in a minute. */
function readAbove(reader: MemberReader): FaultTrigger["above"] {
  const readCount = (member: MemberReader): number | undefined => member.whole(0, int32Max);
  if (typeof reader.value === "number") {
    const count = readCount(reader);
    return count === undefined ? undefined : { count, perMs: perMinuteMs };
  }
  return reader.object<NonNullable<FaultTrigger["above"]>>(
    { count: readCount, perMs: (one) => one.whole(1, faultSpanMsMax) },
    ["count", "perMs"],
  );
}

function readProbability(reader: MemberReader): number | undefined {
  const { value } = reader;
  if (typeof value === "number" && value >= 0 && value <= 1) return value;
  return reader.fail("Must be a number from 0 to 1", "out_of_range");
}

function readEnd(reader: MemberReader): FaultEnd | undefined {
  const until = reader.object<FaultEnd>(
    {
      time: readTime,
      afterMs: (member) => member.whole(1, faultSpanMsMax),
      hits: (member) => member.whole(1, int32Max),
    },
    [],
    { at: "time" },
  );
  const isEmpty = until !== undefined && reader.names().length === 0;
  return isEmpty ? reader.fail("Must have one of time, afterMs, hits", "required") : until;
}

/** Returns the instant in UTC with milliseconds. */
function readTime(reader: MemberReader): string | undefined {
  const instant = typeof reader.value === "string" ? readIsoInstant(reader.value) : undefined;
  if (instant !== undefined) return new Date(instant).toISOString();
  return reader.fail("Must be an ISO 8601 date-time, such as 2026-11-20T10:42:07Z", "invalid_date");
}
