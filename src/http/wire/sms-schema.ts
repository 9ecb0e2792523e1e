/** Schemas of SMS, phone numbers and approved phrases. */
import type { AccountRequest, NumberRequest, ShownNumber } from "../../operations/sms/phone-numbers.ts";
import type { NumberChangeRequest } from "../../operations/sms/update-phone-number.ts";
import type { SmsCredentials } from "../../providers/provider.ts";
import { smsProviders } from "../../providers/registry.ts";
import { build, orNull, schemaOf, type ValueOf, type WireSchema } from "../../core/schema.ts";
import { baseUrl, instantText, phoneNumber, smsSender, webUrl } from "../../core/text-schemas.ts";

/** Request body that stores an SMS in a server. */
export const smsRequestSchema = build.partial({
  from: smsSender("Number, short code or name of the sender; required."),
  to: phoneNumber("Number in international form; required."),
  text: build.string({ maxLength: 1600 }),
  received: instantText("Time of receipt; now when absent."),
});

/** Schema of a phone number. */
export const numberSchema = build.object(
  {
    id: build.string({ format: "uuid" }),
    number: build.string("Phone number in E.164 format."),
    server: build.string({ pattern: "^[a-z0-9]{8}$" }),
    provider: build.enum(smsProviders.map(({ name }) => name)),
    webhook: orNull(build.string("Webhook that receives replies; null for none.")),
    signed: build.boolean("Whether SMS are signed."),
    sends: build.boolean("Whether the provider can send replies."),
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
  build.partial({
    id: build.string({ pattern: accountName, description: `${eachProvider(({ accountId }) => accountId)}; required.` }),
    key: build.string({ pattern: accountName, description: `${eachProvider(({ accountKey }) => accountKey)}.` }),
    secret: build.string({
      maxLength: secretLengthMax,
      description: `${eachProvider(({ accountSecret }) => accountSecret)}; required, never shown again.`,
    }),
    apiUrl: baseUrl({ maxLength: 4000, description: "Base URL instead of the provider's own." }),
  }),
);

/** Request body that adds a phone number to a server. */
export const numberRequestSchema: WireSchema<NumberRequest> = schemaOf<NumberRequest>()(
  build.partial({
    number: phoneNumber("In international form; required."),
    server: build.string("Id of its server; required."),
    provider: build.enum(smsProviders.map(({ name }) => name)),
    secret: build.string({
      maxLength: secretLengthMax,
      description: "What the provider signs with; never shown again.",
    }),
    webhook: webUrl({ maxLength: 4000, description: "The application's inbound webhook." }),
    account: accountRequestSchema,
  }),
);

/** Request body that changes a phone number; null removes. */
export const numberChangeSchema: WireSchema<NumberChangeRequest> = schemaOf<NumberChangeRequest>()(
  build.partial({
    server: build.string("Id of the server that the number moves to."),
    provider: build.enum(smsProviders.map(({ name }) => name)),
    secret: orNull(
      build.string({ maxLength: secretLengthMax, description: "New signing secret; null for unsigned SMS." }),
    ),
    webhook: orNull(webUrl({ maxLength: 4000, description: "New inbound webhook; null for none." })),
    account: orNull(accountRequestSchema),
  }),
);

/** Schema of the approved phrases. */
export const phrasesSchema = build.object({ phrases: build.array(build.string()) }, { $id: "ApprovedPhrases" });

/** JSON of the approved phrases, which SMS replies may consist of. */
export type WirePhrases = ValueOf<typeof phrasesSchema>;

/** Request body that replaces the approved phrases. */
export const phrasesRequestSchema: WireSchema<Partial<WirePhrases>> = schemaOf<Partial<WirePhrases>>()(
  build.partial({ phrases: build.array(build.string({ maxLength: 160 }), { maxItems: 1000 }) }),
);

/** Returns a phone number in its JSON form. */
export function toWireNumber({ createdAt, ...number }: ShownNumber): WireNumber {
  return { ...number, createdAt: new Date(createdAt).toISOString() };
}
