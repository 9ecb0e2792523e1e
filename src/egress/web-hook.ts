/** The only file that calls web hooks: URLs that the operator named, which may well be on this machine. */
import { DeliveryFailure } from "./delivery-failure.ts";

/** One call of a hook. */
export interface HookCall {
  readonly url: string;
  /** `application/x-www-form-urlencoded`. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

const timeoutMs = 15_000;

/**
 * Posts a form. Any 2xx is success; the answer's body is never read. A redirect is not followed, so that a hook cannot
 * lead elsewhere. Rejects with {@link DeliveryFailure}: to be tried again after 5xx, 408, 429 and where no answer came
 * within 15 s; for good after anything else.
 */
export async function callWebHook({ url, body, headers }: HookCall): Promise<void> {
  const status = await post(url, body, headers);
  if (status >= 200 && status <= 299) return;
  const mayPass = status >= 500 || status === 408 || status === 429;
  throw failure(`The web hook answered with status ${String(status)}`, !mayPass);
}

async function post(url: string, body: string, headers: HookCall["headers"]): Promise<number> {
  try {
    const response = await fetch(url, {
      method: "POST",
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
      headers: { ...headers, "content-type": "application/x-www-form-urlencoded", "user-agent": "restante" },
      body,
    });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    throw failure("The web hook could not be reached", false, error);
  }
}

function failure(text: string, isFinal: boolean, cause?: unknown): DeliveryFailure {
  return new DeliveryFailure(text, { stage: "connect", replyCode: null, isOurRefusal: isFinal }, cause);
}
