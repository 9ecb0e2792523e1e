import { DeliveryFailure } from "./delivery-failure.ts";
import { postForm, type PostRules } from "./post-form.ts";

/** One call of a hook. */
export interface HookCall {
  readonly url: string;
  /** `application/x-www-form-urlencoded`. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Posts a form to a web hook. Any 2xx is success; the answer's body is never read. Rejects with {@link DeliveryFailure}: to
 * be tried again after 5xx, 408, 429 and where no answer came; for good after anything else, also a redirect.
 */
export async function callWebHook(call: HookCall, rules: PostRules): Promise<void> {
  const { status } = await postForm({ ...call, use: "hook", answerBytesMax: 0 }, rules);
  if (status >= 200 && status <= 299) return;
  const mayPass = status >= 500 || status === 408 || status === 429;
  const evidence = { stage: "connect", replyCode: null, isOurRefusal: !mayPass } as const;
  throw new DeliveryFailure(`The web hook answered with status ${String(status)}`, evidence);
}
