/** Texts, numbers and phrases as the wire shows them, and what callers may say of them. */
import type { AccountRequest, NumberRequest, ShownNumber } from "../../operations/phone-numbers.ts";
import { build, orNull, schemaOf, type WireSchema } from "./schema.ts";

/** A text to be received. */
export interface WireText {
  readonly from?: string;
  readonly to?: string;
  readonly text?: string;
  /** ISO 8601 or epoch milliseconds, as a text. */
  readonly received?: string;
}

/** Body that puts a text into a server. */
export const textSchema: WireSchema<WireText> = schemaOf<WireText>()(
  build.Object({
    from: build.Optional(build.String({ description: "Number, short code or name of the sender; required." })),
    to: build.Optional(build.String({ description: "Number in international form; required." })),
    text: build.Optional(build.String({ maxLength: 1600 })),
    received: build.Optional(build.String({ description: "When it came; now, when absent." })),
  }),
);

/** A number on the wire: without its secrets. */
export interface WireNumber extends Omit<ShownNumber, "createdAt"> {
  /** ISO 8601 in UTC. */
  readonly createdAt: string;
}

/** A number. */
export const numberSchema: WireSchema<WireNumber> = schemaOf<WireNumber>()(
  build.Object(
    {
      id: build.String({ format: "uuid" }),
      number: build.String({ description: "E.164." }),
      server: build.String({ pattern: "^[a-z0-9]{8}$" }),
      provider: build.Enum(["twilio", "vonage"]),
      webhook: orNull(build.String({ description: "Where replies go; null for nowhere." })),
      signed: build.Boolean({ description: "Whether texts are signed." }),
      sends: build.Boolean({ description: "Whether replies can be sent by the provider." }),
      createdAt: build.String({ format: "date-time" }),
    },
    { $id: "PhoneNumber" },
  ),
);

const accountRequestSchema: WireSchema<AccountRequest> = schemaOf<AccountRequest>()(
  build.Object({
    id: build.Optional(build.String({ description: "Twilio: account SID; Vonage: API key; required." })),
    key: build.Optional(build.String({ description: "Twilio: SID of an API key, where the secret is that key's." })),
    secret: build.Optional(
      build.String({
        description: "Twilio: auth token, or the API key's secret; Vonage: API secret; required, never shown again.",
      }),
    ),
    apiUrl: build.Optional(build.String({ description: "Stands in for the provider's own address." })),
  }),
);

/** Body that gives a number to a server. */
export const numberRequestSchema: WireSchema<NumberRequest> = schemaOf<NumberRequest>()(
  build.Object({
    number: build.Optional(build.String({ description: "In international form; required." })),
    server: build.Optional(build.String({ description: "Id of its server; required." })),
    provider: build.Optional(build.Enum(["twilio", "vonage"])),
    secret: build.Optional(build.String({ description: "What the provider signs with; never shown again." })),
    webhook: build.Optional(build.String({ description: "The application's inbound hook." })),
    account: build.Optional(accountRequestSchema),
  }),
);

/** The phrases that replies to texts may consist of. */
export interface WirePhrases {
  readonly phrases: readonly string[];
}

/** Answer of the phrases' routes. */
export const phrasesSchema: WireSchema<WirePhrases> = schemaOf<WirePhrases>()(
  build.Object({ phrases: build.Array(build.String()) }, { $id: "ApprovedPhrases" }),
);

/** Body that replaces the phrases. */
export const phrasesRequestSchema: WireSchema<Partial<WirePhrases>> = schemaOf<Partial<WirePhrases>>()(
  build.Object({ phrases: build.Optional(build.Array(build.String({ maxLength: 160 }))) }),
);

/** The number as the wire shows it. */
export function toWireNumber({ createdAt, ...number }: ShownNumber): WireNumber {
  return { ...number, createdAt: new Date(createdAt).toISOString() };
}
