/** Schemas of SMS, phone numbers and approved phrases. */
import type { AccountRequest, NumberRequest, ShownNumber } from "../../operations/sms/phone-numbers.ts";
import type { NumberChangeRequest } from "../../operations/sms/update-phone-number.ts";
import type { SmsCredentials } from "../../providers/provider.ts";
import { smsProviders } from "../../providers/registry.ts";
import { build, orNull, schemaOf, type ValueOf, type WireSchema } from "../../core/schema.ts";
import { baseUrl, instantText, phoneNumber, smsSender, webUrl } from "./text-schemas.ts";

/** Request body that stores an SMS in a server. */
export const smsRequestSchema = build.object({
  from: build.optional(smsSender({ description: "Number, short code or name of the sender; required." })),
  to: build.optional(phoneNumber({ description: "Number in international form; required." })),
  text: build.optional(build.string({ maxLength: 1600 })),
  received: build.optional(instantText({ description: "Time of receipt; now when absent." })),
});

/** Schema of a phone number. */
export const numberSchema = build.object(
  {
    id: build.string({ format: "uuid" }),
    number: build.string({ description: "Phone number in E.164 format." }),
    server: build.string({ pattern: "^[a-z0-9]{8}$" }),
    provider: build.enum(smsProviders.map(({ name }) => name)),
    webhook: orNull(build.string({ description: "Webhook that receives replies; null for none." })),
    signed: build.boolean({ description: "Whether SMS are signed." }),
    sends: build.boolean({ description: "Whether the provider can send replies." }),
    createdAt: build.string({ format: "date-time" }),
  },
  { $id: "PhoneNumber" },
);

/** JSON of a phone number, without its secrets. */
export type WireNumber = ValueOf<typeof numberSchema>;

/** Returns the names that the providers have for a credential: `Acme: account id; Other: API key`. */
function eachProvider(nameOf: (credentials: SmsCredentials) => string | null): string {
  return smsProviders
    .flatMap(({ label, sms }) => {
      const name = nameOf(sms.credentials);
      return name === null ? [] : [`${label}: ${name}`];
    })
    .join("; ");
}

/** As in URL paths and user names of Basic authentication. */
const accountName = "^[A-Za-z0-9_-]{1,64}$";
const secretLengthMax = 256;

const accountRequestSchema: WireSchema<AccountRequest> = schemaOf<AccountRequest>()(
  build.object({
    id: build.optional(
      build.string({ pattern: accountName, description: `${eachProvider(({ accountId }) => accountId)}; required.` }),
    ),
    key: build.optional(
      build.string({ pattern: accountName, description: `${eachProvider(({ accountKey }) => accountKey)}.` }),
    ),
    secret: build.optional(
      build.string({
        maxLength: secretLengthMax,
        description: `${eachProvider(({ accountSecret }) => accountSecret)}; required, never shown again.`,
      }),
    ),
    apiUrl: build.optional(baseUrl({ maxLength: 4000, description: "Base URL instead of the provider's own." })),
  }),
);

/** Request body that adds a phone number to a server. */
export const numberRequestSchema: WireSchema<NumberRequest> = schemaOf<NumberRequest>()(
  build.object({
    number: build.optional(phoneNumber({ description: "In international form; required." })),
    server: build.optional(build.string({ description: "Id of its server; required." })),
    provider: build.optional(build.enum(smsProviders.map(({ name }) => name))),
    secret: build.optional(
      build.string({ maxLength: secretLengthMax, description: "What the provider signs with; never shown again." }),
    ),
    webhook: build.optional(webUrl({ maxLength: 4000, description: "The application's inbound webhook." })),
    account: build.optional(accountRequestSchema),
  }),
);

/** Request body that changes a phone number; null removes. */
export const numberChangeSchema: WireSchema<NumberChangeRequest> = schemaOf<NumberChangeRequest>()(
  build.object({
    server: build.optional(build.string({ description: "Id of the server that the number moves to." })),
    provider: build.optional(build.enum(smsProviders.map(({ name }) => name))),
    secret: build.optional(
      orNull(build.string({ maxLength: secretLengthMax, description: "New signing secret; null for unsigned SMS." })),
    ),
    webhook: build.optional(orNull(webUrl({ maxLength: 4000, description: "New inbound webhook; null for none." }))),
    account: build.optional(orNull(accountRequestSchema)),
  }),
);

/** Schema of the approved phrases. */
export const phrasesSchema = build.object({ phrases: build.array(build.string()) }, { $id: "ApprovedPhrases" });

/** JSON of the approved phrases, which SMS replies may consist of. */
export type WirePhrases = ValueOf<typeof phrasesSchema>;

/** Request body that replaces the approved phrases. */
export const phrasesRequestSchema: WireSchema<Partial<WirePhrases>> = schemaOf<Partial<WirePhrases>>()(
  build.object({ phrases: build.optional(build.array(build.string({ maxLength: 160 }), { maxItems: 1000 })) }),
);

/** Returns a phone number in its JSON form. */
export function toWireNumber({ createdAt, ...number }: ShownNumber): WireNumber {
  return { ...number, createdAt: new Date(createdAt).toISOString() };
}
