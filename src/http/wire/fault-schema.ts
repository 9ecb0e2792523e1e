/** Schemas of fault rules. The operation reads request bodies strictly; these describe them. */
import { faultActions, faultErrors, type FaultHitRecord, faultStages, faultTlsFailures } from "../../core/fault.ts";
import { faultDelayMsMax, faultHitCountMax, faultRuleCountMax, faultSpanMsMax, int32Max } from "../../core/limits.ts";
import type { ShownFault } from "../../operations/faults/fault-rules.ts";
import { providers } from "../../providers/registry.ts";
import { aliases, asNumber, build, orNull, schemaOf, type WireSchema } from "../../core/schema.ts";
import { enhancedStatus, ipNetwork, recipientGlob, senderGlob } from "../../core/text-schemas.ts";

const count = (description: string): WireSchema<number> =>
  build.integer({ minimum: 1, maximum: int32Max, description });
const span = (description: string): WireSchema<number> =>
  build.integer({ minimum: 1, maximum: faultSpanMsMax, description });
const onlyTrue = (description: string): WireSchema<boolean> => build.boolean({ const: true, description });
const stage = build.enum(faultStages);

const bytesPerSecondMax = 1_000_000_000;

const match = build.object(
  {
    stage: {
      ...build.anyOf<WireSchema<unknown>>([stage, build.array(stage, { minItems: 1, maxItems: faultStages.length })]),
      description:
        "Stage or stages: `data` is the command before the content, `after-data` the end of the content, `request` a call of a provider's API.",
    },
    sender: build.optional(senderGlob("Envelope sender: an address, in which `*` stands for any characters.")),
    recipient: build.optional(
      recipientGlob("One of the recipients: an address, in which `*` stands for any characters, or a phone number."),
    ),
    clientAddress: build.optional(ipNetwork("Address of the client, or a network.")),
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
  },
);
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
        [asNumber]: { minimum: 0, maximum: int32Max },
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
  },
);
const reply = build.object(
  {
    code: build.integer({ minimum: 400, maximum: 599, description: "SMTP code; 421 closes the connection." }),
    enhanced: build.optional(enhancedStatus("Enhanced status code, such as `4.7.1`.")),
    text: build.optional(
      build.string({ pattern: "^[ -~]+$", maxLength: 400, description: "Text in printable ASCII." }),
    ),
  },
  { description: "SMTP reply. Not at the stage `request`.", [aliases]: { enhancedStatus: "enhanced" } },
);
const error = {
  ...build.anyOf<WireSchema<unknown>>([
    build.enum(faultErrors),
    build.object({ status: build.integer({ minimum: 400, maximum: 599, description: "HTTP status." }) }),
  ]),
  description: "Error in the format of the provider, by name or HTTP status. Only at the stage `request`.",
};
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
  },
);
const until = build.partial(
  {
    time: build.string({ format: "date-time", description: "Instant." }),
    afterMs: span("Milliseconds after the rule was stored."),
    hits: count("Number of hits."),
  },
  {
    description: "Ends the rule with the first condition that is met; it stays in the list. Never when absent.",
    [aliases]: { at: "time" },
  },
);
const rule = {
  name: build.string({ minLength: 1, maxLength: 100, description: "Name, unique in the list." }),
  match,
  when: build.optional(when),
  then,
  until: build.optional(until),
};

const rules = build.array(build.object(rule), {
  maxItems: faultRuleCountMax,
  description: "Rules, in their order: the first one that triggers applies. Unknown members are errors.",
});

/** Request body that replaces the rules; the list alone is accepted too. */
export const faultRulesSchema: WireSchema<unknown> = build.anyOf<WireSchema<unknown>>(
  [build.object({ items: rules }), rules],
  "The rules, as a member of an object or alone.",
);

const hitSchema: WireSchema<FaultHitRecord> = schemaOf<FaultHitRecord>()(
  build.object({
    received: build.string({ format: "date-time", description: "Instant, UTC, with milliseconds." }),
    stage: build.enum(faultStages, "Stage at which the rule applied."),
    clientAddress: build.string("Address of the client."),
    sender: orNull(build.string("Envelope sender; null before MAIL.")),
    recipient: orNull(build.string("Recipient that matched; null before RCPT.")),
    provider: orNull(build.string("Name of the provider; null for SMTP.")),
    action: build.enum(faultActions, "Main effect."),
  }),
);

/** Schema of a rule with its counts. */
export const faultSchema: WireSchema<ShownFault> = build.object(
  {
    ...rule,
    state: build.enum(["active", "ended"], "`ended`: by `until`."),
    seen: build.integer("Number of occurrences that matched."),
    hits: build.integer("Number of occurrences to which the rule applied."),
    skipped: build.integer("Number of mails for several servers that matched, to which the rule did not apply."),
    lastHits: build.array(hitSchema, { maxItems: faultHitCountMax, description: "The last hits, newest first." }),
  },
  { $id: "Fault" },
) as WireSchema<ShownFault>;
