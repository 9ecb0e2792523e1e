import { DeliveryFailure } from "../delivery-failure.ts";
import { postForm, type PostRules } from "./post-form.ts";

/** Request to a webhook. */
export interface WebhookCall {
  readonly url: string;
  /** `application/x-www-form-urlencoded`. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Posts a form to a webhook. Every 2xx is a success; the body of the response is never read. Rejects with
 * {@link DeliveryFailure}: temporary for 5xx, 408, 429 and without a response; permanent for everything else, redirects
 * included.
 */
export async function callWebhook(call: WebhookCall, rules: PostRules): Promise<void> {
  const { status } = await postForm({ ...call, ownOrigins: null, responseBytesMax: 0 }, rules);
  if (status >= 200 && status <= 299) return;
  const isTemporary = status >= 500 || status === 408 || status === 429;
  const evidence = { stage: "connect", replyCode: null, isLocalRefusal: !isTemporary } as const;
  throw new DeliveryFailure(`The webhook responded with status ${String(status)}`, evidence);
}
