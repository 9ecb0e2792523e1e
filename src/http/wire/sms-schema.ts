/** Schemas of SMS, phone numbers and approved phrases. */
import type { ShownNumber } from "../../operations/sms/phone-numbers.ts";
import { smsProviders } from "../../providers/registry.ts";
import { build, orNull, type ValueOf } from "../../core/schema.ts";
import { instantText, phoneNumber, smsSender } from "../../core/text-schemas.ts";

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

/** Schema of the approved phrases. */
export const phrasesSchema = build.object({ phrases: build.array(build.string()) }, { $id: "ApprovedPhrases" });

/** JSON of the approved phrases, which SMS replies may consist of. */
export type WirePhrases = ValueOf<typeof phrasesSchema>;

/** Request body that replaces the approved phrases. */
export const phrasesRequestSchema = build.partial({
  phrases: build.array(build.string({ maxLength: 160 }), { maxItems: 1000 }),
});

/** Returns a phone number in its JSON form. */
export function toWireNumber({ createdAt, ...number }: ShownNumber): WireNumber {
  return { ...number, createdAt: new Date(createdAt).toISOString() };
}
