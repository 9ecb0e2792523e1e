import type { ProviderAccount, SmsProvider } from "../core/owned-number.ts";
import type { SendInterface } from "../sms/send-answer.ts";
import { twilioSending } from "../sms/twilio-send.ts";
import { vonageSending } from "../sms/vonage-send.ts";
import { DeliveryFailure } from "./delivery-failure.ts";
import { postForm, type PostRules } from "./post-form.ts";

const interfaces: Readonly<Record<SmsProvider, SendInterface<ProviderAccount>>> = {
  twilio: twilioSending,
  vonage: vonageSending,
};

const answerBytesMax = 64 * 1024;

/** A text that leaves by a number's provider. */
export interface ProviderText {
  readonly provider: SmsProvider;
  readonly account: ProviderAccount;
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

/**
 * Hands a text to the provider's send interface. Rejects with {@link DeliveryFailure}, whose text holds the status and the
 * provider's code and nothing else of the answer: to be tried again after 5xx, 401, 403, 408, 429 and where no answer came;
 * for good after anything else, also a redirect.
 */
export async function sendByProvider(message: ProviderText, rules: PostRules): Promise<void> {
  const { provider, account, from, to, text } = message;
  const { write, read } = interfaces[provider];
  const call = write(account, { from, to, text });
  const refusal = read(await postForm({ ...call, use: provider, answerBytesMax }, rules));
  if (refusal === null) return;
  throw new DeliveryFailure(refusal.text, { stage: "unknown", replyCode: null, isOurRefusal: !refusal.mayPass });
}
