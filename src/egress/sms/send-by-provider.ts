import type { ProviderAccount } from "../../core/owned-number.ts";
import type { SmsProvider } from "../../providers/provider.ts";
import type { OutboundSms } from "../../providers/sms.ts";
import { DeliveryFailure } from "../delivery-failure.ts";
import { postForm, type PostRules } from "./post-form.ts";

const responseBytesMax = 64 * 1024;

/** SMS to a phone by the API of the number's provider. */
export interface PhoneSms extends OutboundSms {
  readonly provider: SmsProvider;
  readonly account: ProviderAccount;
}

/**
 * Sends an SMS by the API of its provider. Rejects with {@link DeliveryFailure}, whose text holds the status and the
 * provider's error code and nothing else of the response: temporary for 5xx, 401, 403, 408, 429 and without a response;
 * permanent for everything else, redirects included.
 */
export async function sendByProvider({ provider, account, ...sms }: PhoneSms, rules: PostRules): Promise<void> {
  const { sendApi } = provider.sms;
  const request = sendApi.request(account, sms);
  const failure = sendApi.readFailure(
    await postForm({ ...request, ownOrigins: provider.apiOrigins, responseBytesMax }, rules),
  );
  if (failure === null) return;
  throw new DeliveryFailure(failure.text, { stage: "unknown", replyCode: null, isLocalRefusal: !failure.isTemporary });
}
