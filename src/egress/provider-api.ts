/** The only file that calls the send interfaces of SMS providers, with the operator's own account. */
import type { ProviderAccount, SmsProvider } from "../core/owned-number.ts";
import type { SendAnswer, SendCall, SendInterface } from "../sms/send-answer.ts";
import { twilioSending } from "../sms/twilio-send.ts";
import { vonageSending } from "../sms/vonage-send.ts";
import { DeliveryFailure } from "./delivery-failure.ts";

const interfaces: Readonly<Record<SmsProvider, SendInterface<ProviderAccount>>> = {
  twilio: twilioSending,
  vonage: vonageSending,
};

const timeoutMs = 15_000;
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
 * Hands a text to the provider. Resolves when the provider has taken it; rejects with {@link DeliveryFailure}: to be tried
 * again after 5xx, 401, 403, 408, 429 and where no answer came within 15 s; for good after anything else. A redirect is
 * not followed: credentials go nowhere else.
 */
export async function sendByProvider({ provider, account, from, to, text }: ProviderText): Promise<void> {
  const { write, read } = interfaces[provider];
  const refusal = read(await post(write(account, { from, to, text })));
  if (refusal === null) return;
  throw new DeliveryFailure(refusal.text, { stage: "unknown", replyCode: null, isOurRefusal: !refusal.mayPass });
}

async function post({ url, body, headers }: SendCall): Promise<SendAnswer> {
  try {
    const response = await fetch(url, {
      method: "POST",
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
      headers: { ...headers, "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
      body,
    });
    return { status: response.status, body: await readStart(response) };
  } catch (error) {
    const evidence = { stage: "connect", replyCode: null, isOurRefusal: false } as const;
    throw new DeliveryFailure("The provider could not be reached", evidence, error);
  }
}

async function readStart(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size > answerBytesMax) break;
  }
  return Buffer.concat(chunks).toString("utf8");
}
