/** Schemas of fault rules: requests are decoded by them, strictly, and the document is derived from them. */
import {
  faultErrors,
  faultStages,
  faultTlsFailures,
  stagesOfMatch,
  stagesOfOutcome,
  stagesOf,
  type FaultEnd,
  type FaultMatch,
  type FaultOutcome,
  type FaultReply,
  type FaultRule,
  type FaultTrigger,
} from "../../core/fault.ts";
import { Problem } from "../../core/errors.ts";
import { faultDelayMsMax, faultRuleCountMax, faultSpanMsMax, int32Max } from "../../core/limits.ts";
import { parsePhoneNumber } from "../../core/phone-number.ts";
import { aliases, asNumber, build, refined, refusal, type WireSchema } from "../../core/schema.ts";
import { decodeStrictly, type Place } from "../../core/strict-decoder.ts";
import { enhancedStatus, ipNetwork, recipientGlob, senderGlob } from "../../core/text-schemas.ts";
import { readIsoInstant } from "../../providers/formats/iso-instant.ts";
import { providers } from "../../providers/registry.ts";
import { readPattern } from "../callbacks/target-schema.ts";

const count = (description: string): WireSchema<number> =>
  build.integer({ minimum: 1, maximum: int32Max, description });
const span = (description: string): WireSchema<number> =>
  build.integer({ minimum: 1, maximum: faultSpanMsMax, description });
const onlyTrue = (description: string): WireSchema<boolean> => build.boolean({ const: true, description });
const stage = build.enum(faultStages);

const bytesPerSecondMax = 1_000_000_000;

/** Members of `then` of which a rule has at most one. */
const mainOutcomes = ["reply", "error", "drop", "loseReply", "tls", "greylist"] as const;

/** Main members of `then` with which the mail is stored, so that it can be delivered later. */
const storingOutcomes: ReadonlySet<string> = new Set<keyof FaultOutcome>(["loseReply"]);

function checkMatch(match: FaultMatch, place: Place): FaultMatch {
  for (const [name, known] of Object.entries(stagesOfMatch)) {
    const early = Object.hasOwn(match, name) ? stagesOf({ match }).find((one) => !known.includes(one)) : undefined;
    if (early !== undefined) place.member(name).fail(`Is not known at the stage ${early}`);
  }
  return match;
}

function readAddress(given: string, place: Place): string | undefined {
  const text = given.toLowerCase();
  const description = "Must be one address, such as support@app.example, or a pattern, such as *@app.example";
  const isPart = text.includes("*") && !text.includes("@");
  if (isPart) return /^[!-~\u0080-\uffff]+$/.test(text) ? text : place.fail(description);
  try {
    readPattern(text.replaceAll("*", "a"));
    return text;
  } catch (error) {
    if (error instanceof Problem && error.fields.length > 0) return place.fail(description);
    throw error;
  }
}

function readRecipient(text: string, place: Place): string | undefined {
  if (!text.startsWith("+") || text.includes("@")) return readAddress(text, place);
  return parsePhoneNumber(text) ?? place.fail("Must be a phone number, such as +15550100");
}

const match = build.object(
  {
    stage: {
      ...build.anyOf<WireSchema<unknown>>([stage, build.array(stage, { minItems: 1, maxItems: faultStages.length })]),
      description:
        "Stage or stages: `data` is the command before the content, `after-data` the end of the content, `request` a call of a provider's API.",
      [refined]: (given: FaultMatch["stage"]) => (typeof given === "string" ? given : [...new Set(given)]),
    },
    sender: build.optional(
      senderGlob({
        description: "Envelope sender: an address, in which `*` stands for any characters.",
        [refined]: readAddress,
      }),
    ),
    recipient: build.optional(
      recipientGlob({
        description: "One of the recipients: an address, in which `*` stands for any characters, or a phone number.",
        [refined]: readRecipient,
      }),
    ),
    clientAddress: build.optional(
      ipNetwork({
        description: "Address of the client, or a network.",
        [refusal]: { text: "Must be an IP address, or a network such as 192.0.2.0/24" },
      }),
    ),
    provider: build.optional(
      build.enum(
        providers.map(({ name }) => name),
        "Name of a provider.",
      ),
    ),
    userName: build.optional(build.string({ minLength: 1, maxLength: 320, description: "User name of SMTP AUTH." })),
  },
  {
    description: "Occurrences that the rule applies to: those that agree with every member.",
    [aliases]: { client: "clientAddress" },
    [refined]: checkMatch,
  },
);
const triggerNames = ["first", "after", "every", "above", "probability"];

function checkTrigger(when: FaultTrigger, place: Place): FaultTrigger | undefined {
  const kinds = triggerNames.filter((name) => place.names.includes(name));
  if (kinds.length !== 1) return place.fail(`Must have exactly one of ${triggerNames.join(", ")}`);
  if (place.names.includes("seed") && kinds[0] !== "probability") place.member("seed").fail("Requires probability");
  return when;
}

const when = build.partial(
  {
    first: count("The first ones."),
    after: count("All but the first ones."),
    every: count("Every nth."),
    above: build.object(
      {
        count: build.integer({ minimum: 0, maximum: int32Max, description: "Number of occurrences in a window." }),
        perMs: span("Length of the window in milliseconds."),
      },
      {
        description: "Those above a number in a window, which starts with the first occurrence after the last one.",
        [asNumber]: { minimum: 0, maximum: int32Max, others: { perMs: 60_000 } },
      },
    ),
    probability: build.number({ minimum: 0, maximum: 1, description: "Share of the occurrences." }),
    seed: build.integer({
      minimum: -int32Max,
      maximum: int32Max,
      description: "Determines with `probability` which ones; 0 by default.",
    }),
  },
  {
    description: "Which of the occurrences that match; exactly one member, besides `seed`. All when absent.",
    [aliases]: { aboveAMinute: "above" },
    [refined]: checkTrigger,
  },
);
function checkReply(reply: FaultReply, place: Place): FaultReply {
  const isSameClass = reply.enhanced?.startsWith(String(reply.code).charAt(0)) ?? true;
  if (!isSameClass) place.member("enhanced").fail("Must begin with the first digit of the code", "invalid_status");
  return reply;
}

const reply = build.object(
  {
    code: build.integer({ minimum: 400, maximum: 599, description: "SMTP code; 421 closes the connection." }),
    enhanced: build.optional(
      enhancedStatus({
        description: "Enhanced status code, such as `4.7.1`.",
        [refusal]: { text: "Must be an enhanced status code, such as 4.7.1", code: "invalid_status" },
      }),
    ),
    text: build.optional(
      build.string({
        pattern: "^[ -~]+$",
        maxLength: 400,
        description: "Text in printable ASCII.",
        [refusal]: { text: "Must be printable ASCII in one line" },
      }),
    ),
  },
  {
    description: "SMTP reply. Not at the stage `request`.",
    [aliases]: { enhancedStatus: "enhanced" },
    [refined]: checkReply,
  },
);
const error = {
  ...build.anyOf<WireSchema<unknown>>([
    build.enum(faultErrors),
    build.object({ status: build.integer({ minimum: 400, maximum: 599, description: "HTTP status." }) }),
  ]),
  description: "Error in the format of the provider, by name or HTTP status. Only at the stage `request`.",
};
/** Checks an outcome with the stages of its rule, which are read before it. */
function checkOutcome(then: FaultOutcome, place: Place): FaultOutcome | undefined {
  const { names } = place;
  if (names.length === 0) return place.fail(`Must have one of ${Object.keys(stagesOfOutcome).join(", ")}`, "required");
  const { match: own } = place.siblings as Partial<FaultRule>;
  const stages = own === undefined ? [] : stagesOf({ match: own });
  for (const [name, possible] of Object.entries(stagesOfOutcome)) {
    const wrong = names.includes(name) ? stages.find((one) => !possible.includes(one)) : undefined;
    if (wrong !== undefined) place.member(name).fail(`Has no effect at the stage ${wrong}`);
  }
  const [main, other] = mainOutcomes.filter((name) => names.includes(name));
  if (other !== undefined) place.fail(`Must have one of ${String(main)} and ${other}, not both`);
  if (main !== undefined && !storingOutcomes.has(main) && names.includes("deliverAfterMs")) {
    place.fail(`With ${main} nothing is stored that could be delivered later: remove deliverAfterMs`);
  }
  return then;
}

const then = build.partial(
  {
    reply: reply,
    error: error,
    drop: onlyTrue("Closes the connection without a reply; nothing is stored."),
    loseReply: onlyTrue("Stores the mail and closes the connection without a reply."),
    tls: build.enum(faultTlsFailures, "Failure of the TLS handshake."),
    greylist: build.object(
      { delayMs: span("Time after the first attempt, in milliseconds.") },
      {
        description: "Defers a triple of client network, sender and recipient. Only at the stage `rcpt`.",
        [asNumber]: { minimum: 1, maximum: faultSpanMsMax },
      },
    ),
    delayMs: build.integer({
      minimum: 1,
      maximum: faultDelayMsMax,
      description: "Time before the reply in milliseconds.",
    }),
    throttle: build.integer({
      minimum: 1,
      maximum: bytesPerSecondMax,
      description: "Bytes per second. Only at the stages `data` and `request`.",
    }),
    deliverAfterMs: span("Time in milliseconds after which the accepted mail becomes visible."),
  },
  {
    description:
      "Effect: at most one of `reply`, `error`, `drop`, `loseReply`, `tls`, `greylist`, and any of the others.",
    [aliases]: { bytesPerSecond: "throttle", greylistMs: "greylist" },
    [refined]: checkOutcome,
  },
);
/** Returns the instant in UTC with milliseconds. */
function readTime(text: string, place: Place): string | undefined {
  const instant = readIsoInstant(text);
  if (instant !== undefined) return new Date(instant).toISOString();
  return place.fail("Must be an ISO 8601 date-time, such as 2026-11-20T10:42:07Z", "invalid_date");
}

function checkEnd(until: FaultEnd, place: Place): FaultEnd | undefined {
  return place.names.length > 0 ? until : place.fail("Must have one of time, afterMs, hits", "required");
}

const until = build.partial(
  {
    time: build.string({ format: "date-time", description: "Instant.", [refined]: readTime }),
    afterMs: span("Milliseconds after the rule was stored."),
    hits: count("Number of hits."),
  },
  {
    description: "Ends the rule with the first condition that is met; it stays in the list. Never when absent.",
    [aliases]: { at: "time" },
    [refined]: checkEnd,
  },
);
/** Properties of a rule. */
export const faultRuleProperties = {
  name: build.string({ minLength: 1, maxLength: 100, description: "Name, unique in the list." }),
  match,
  when: build.optional(when),
  then,
  until: build.optional(until),
  paused: build.optional(
    build.boolean({ description: "Whether the rule applies to nothing and counts nothing. False when absent." }),
  ),
};

/** Requires that a rule has not the name of one before it. */
function checkName(own: FaultRule, place: Place): FaultRule {
  const others = place.siblings as readonly FaultRule[];
  const isTaken = others.some(({ name }) => name === own.name);
  if (isTaken) place.member("name").fail("Must differ from the names of the other rules");
  return own;
}

const rules = build.array(build.object(faultRuleProperties, { [refined]: checkName }), {
  maxItems: faultRuleCountMax,
  description: "Rules, in their order: the first one that triggers applies. Unknown members are errors.",
});

/** Request body that replaces the rules; the list alone is accepted too. */
export const faultRulesSchema: WireSchema<unknown> = build.anyOf<WireSchema<unknown>>(
  [build.object({ items: rules }), rules],
  "The rules, as a member of an object or alone.",
);

/** Returns the rules of a request body. Throws a 400 that names every wrong and unknown member. */
export function readFaultRules(body: unknown): readonly FaultRule[] {
  const read = decodeStrictly(faultRulesSchema, body) as
    | readonly FaultRule[]
    | { readonly items: readonly FaultRule[] };
  return "items" in read ? read.items : read;
}
