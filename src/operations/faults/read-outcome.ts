import { faultErrors, faultStages, faultTlsFailures } from "../../core/fault.ts";
import type { FaultMatch, FaultOutcome, FaultReply, FaultStage } from "../../core/fault.ts";
import { faultDelayMsMax, faultSpanMsMax } from "../../core/limits.ts";
import type { MemberReader, MemberReaders } from "../services/member-reader.ts";

// Stages at which members of fault rules make sense.

const smtp = faultStages.filter((stage) => stage !== "request");
const withSender: readonly FaultStage[] = ["mail", "rcpt", "data", "after-data", "request"];
const withRecipient: readonly FaultStage[] = ["rcpt", "data", "after-data", "request"];

/** Stages at which what a member of `match` compares is known. */
export const stagesOfMatch: Readonly<Record<Exclude<keyof FaultMatch, "stage">, readonly FaultStage[]>> = {
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
export function readOutcome(reader: MemberReader, stages: readonly FaultStage[]): FaultOutcome | undefined {
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
