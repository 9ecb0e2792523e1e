import { createHash } from "node:crypto";
import type { Clock } from "../core/clock.ts";
import type { OwnedNumber } from "../core/owned-number.ts";
import { writeForm, type FormFields } from "../sms/form.ts";
import { twilioSid, writeTwilioInbound } from "../sms/twilio-message.ts";
import { signTwilioRequest } from "../sms/twilio-signature.ts";
import { writeVonageInbound } from "../sms/vonage-message.ts";
import { withVonageSignature } from "../sms/vonage-signature.ts";
import type { Store } from "../store/store.ts";
import { DeliveryFailure } from "./delivery-failure.ts";
import { decodeHook, type InboundHook } from "./hook-content.ts";
import type { HookCall } from "./web-hook.ts";

/** What calling hooks needs. */
export interface HookNeeds {
  readonly store: Pick<Store, "phoneNumbers">;
  readonly clock: Pick<Clock, "now">;
  /** Calls one, as `callWebHook` does. */
  readonly call: (call: HookCall) => Promise<void>;
}

/** Does what an entry's content asks for, call after call; rejects with {@link DeliveryFailure} at the first that fails. */
export async function callHook(needs: HookNeeds, bytes: Uint8Array): Promise<void> {
  const content = decodeHook(bytes);
  const calls = content.kind === "status" ? content.calls : [await inboundCall(needs, content)];
  for (const { body, headers } of calls) {
    await needs.call({ url: content.kind === "status" ? content.url : await webhookOf(needs, content), body, headers });
  }
}

async function inboundCall(needs: HookNeeds, hook: InboundHook): Promise<Pick<HookCall, "body" | "headers">> {
  const number = await numberOf(needs, hook);
  return number.provider === "twilio" ? asTwilio(number, hook, needs) : asVonage(number, hook, needs);
}

function asTwilio(number: OwnedNumber, hook: InboundHook, { clock }: HookNeeds): Pick<HookCall, "body" | "headers"> {
  const { from, to, text } = hook;
  const accountSid = accountSidOf(hook.server);
  const sid = twilioSid("SM", hook.id);
  const message = { from, to, text, accountSid, sid, createdAt: clock.now(), messagingServiceSid: null } as const;
  const form: FormFields = writeTwilioInbound({ ...message, status: "delivered" });
  const url = number.webhook ?? "";
  const signature = number.secret === null ? null : signTwilioRequest({ url, form }, number.secret);
  return { body: writeForm(form), headers: signature === null ? {} : { "x-twilio-signature": signature } };
}

function asVonage(number: OwnedNumber, hook: InboundHook, { clock }: HookNeeds): Pick<HookCall, "body" | "headers"> {
  const { from, to, text, id, server } = hook;
  const now = clock.now();
  const form = writeVonageInbound({ id, from, to, text, apiKey: server, createdAt: now });
  return {
    body: writeForm(number.secret === null ? form : withVonageSignature(form, number.secret, now)),
    headers: {},
  };
}

async function webhookOf(needs: HookNeeds, hook: InboundHook): Promise<string> {
  return (await numberOf(needs, hook)).webhook ?? "";
}

async function numberOf({ store }: HookNeeds, { from }: InboundHook): Promise<OwnedNumber> {
  const number = await store.phoneNumbers.findPhoneNumber(from);
  if (number !== undefined && number.webhook !== null) return number;
  const evidence = { stage: "connect", replyCode: null, isOurRefusal: true } as const;
  throw new DeliveryFailure("The number has no web hook any more", evidence);
}

/** The account that a server is in Twilio's terms. */
function accountSidOf(server: string): string {
  return `AC${createHash("sha256").update(server).digest("hex").slice(0, 32)}`;
}
