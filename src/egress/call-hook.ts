import { createHash } from "node:crypto";
import type { Clock } from "../core/clock.ts";
import type { NumberSecrets, OwnedNumber } from "../core/owned-number.ts";
import { writeForm, type FormFields } from "../sms/form.ts";
import { twilioSid, writeTwilioInbound } from "../sms/twilio-message.ts";
import { signTwilioRequest } from "../sms/twilio-signature.ts";
import { writeVonageInbound } from "../sms/vonage-message.ts";
import { withVonageSignature } from "../sms/vonage-signature.ts";
import type { Store } from "../store/store.ts";
import { DeliveryFailure } from "./delivery-failure.ts";
import { decodeHook, type ReplyHook } from "./hook-content.ts";
import type { ProviderText } from "./provider-api.ts";
import type { HookCall } from "./web-hook.ts";

/** What calling hooks needs. */
export interface HookNeeds {
  readonly store: Pick<Store, "phoneNumbers">;
  readonly clock: Pick<Clock, "now">;
  /** The number's secrets; undefined where they cannot be opened. */
  readonly openSecrets: (number: OwnedNumber) => NumberSecrets | undefined;
  /** Calls one, as `callWebHook` does. */
  readonly call: (call: HookCall) => Promise<void>;
  /** Hands a text to its provider, as `sendByProvider` does. */
  readonly send: (text: ProviderText) => Promise<void>;
}

/** A number as it is at the moment of the attempt. */
interface OpenedNumber extends OwnedNumber {
  readonly secrets: NumberSecrets;
}

/** Does what an entry's content asks for, call after call; rejects with {@link DeliveryFailure} at the first that fails. */
export async function callHook(needs: HookNeeds, bytes: Uint8Array): Promise<void> {
  const content = decodeHook(bytes);
  if (content.kind === "status") {
    for (const { body, headers } of content.calls) await needs.call({ url: content.url, body, headers });
    return;
  }
  const number = await openNumber(needs, content);
  if (content.kind === "provider") await send(needs, number, content);
  else await call(needs, number, content);
}

async function send(needs: HookNeeds, { provider, secrets }: OpenedNumber, hook: ReplyHook): Promise<void> {
  const { account } = secrets;
  if (account === null) throw failure("The number has no account any more", true);
  const { from, to, text } = hook;
  await needs.send({ provider, account, from, to, text });
}

async function call(needs: HookNeeds, number: OpenedNumber, hook: ReplyHook): Promise<void> {
  const { webhook: url } = number;
  if (url === null) throw failure("The number has no web hook any more", true);
  const { body, headers } =
    number.provider === "twilio" ? asTwilio({ ...number, url }, hook, needs) : asVonage(number, hook, needs);
  await needs.call({ url, body, headers });
}

function asTwilio(
  { url, secrets }: OpenedNumber & { readonly url: string },
  hook: ReplyHook,
  { clock }: HookNeeds,
): Pick<HookCall, "body" | "headers"> {
  const { from, to, text } = hook;
  const accountSid = accountSidOf(hook.server);
  const sid = twilioSid("SM", hook.id);
  const message = { from, to, text, accountSid, sid, createdAt: clock.now(), messagingServiceSid: null } as const;
  const form: FormFields = writeTwilioInbound({ ...message, status: "delivered" });
  const signature = secrets.signing === null ? null : signTwilioRequest({ url, form }, secrets.signing);
  return { body: writeForm(form), headers: signature === null ? {} : { "x-twilio-signature": signature } };
}

function asVonage(
  { secrets }: OpenedNumber,
  hook: ReplyHook,
  { clock }: HookNeeds,
): Pick<HookCall, "body" | "headers"> {
  const { from, to, text, id, server } = hook;
  const now = clock.now();
  const form = writeVonageInbound({ id, from, to, text, apiKey: server, createdAt: now });
  return {
    body: writeForm(secrets.signing === null ? form : withVonageSignature(form, secrets.signing, now)),
    headers: {},
  };
}

async function openNumber({ store, openSecrets }: HookNeeds, { from }: ReplyHook): Promise<OpenedNumber> {
  const number = await store.phoneNumbers.findPhoneNumber(from);
  if (number === undefined) throw failure("The number belongs to no server any more", true);
  const secrets = openSecrets(number);
  // The operator can bring the key back.
  if (secrets === undefined) throw failure("The number's secrets were sealed with another RESTANTE_SECRET_KEY", false);
  return { ...number, secrets };
}

function failure(text: string, isFinal: boolean): DeliveryFailure {
  return new DeliveryFailure(text, { stage: "unknown", replyCode: null, isOurRefusal: isFinal });
}

/** The account that a server is in Twilio's terms. */
function accountSidOf(server: string): string {
  return `AC${createHash("sha256").update(server).digest("hex").slice(0, 32)}`;
}
