import { Problem } from "../../../core/errors.ts";
import type { RequestTranscript } from "../../../core/request-transcript.ts";
import { parsePhoneNumber, type OwnedNumber } from "../../../core/phone-number.ts";
import { openNumberSecrets } from "../../../operations/services/security/number-secrets.ts";
import { receiveSms } from "../../../operations/sms/receive-sms.ts";
import type { ProviderRequest, SmsProvider } from "../../../providers/provider.ts";
import type { ProviderCall } from "../../route.ts";

/**
 * Stores the SMS of a provider's inbound webhook. Rejects with the same `unauthenticated` for unknown numbers, for unsigned
 * and for wrongly signed requests, so that nothing can be learnt without the secret.
 */
export async function receiveFromProvider(
  call: ProviderCall,
  { name, sms: { inbound } }: SmsProvider,
  { request, transcript }: { readonly request: ProviderRequest; readonly transcript: RequestTranscript },
): Promise<void> {
  if (call.isHead) throw unsigned();
  const number = await findNumber(call, request);
  if (number?.provider !== name) throw unsigned();
  const secret = openNumberSecrets(call.context, number)?.signing ?? null;
  if (secret === null || !inbound.isSigned(request, secret, call.context.clock.now())) throw unsigned();
  const { from, to, text, providerId } = inbound.read(request);
  const webhook = { number, providerId };
  const source = { webhook, transcript: transcript.encode({ count: 1, isOwn: true, hits: [] }) };
  await receiveSms(call.context, { from, to, text, server: number.server, receivedAt: null, ...source });
}

function unsigned(): Problem {
  return new Problem("unauthenticated", { text: "The request is not signed with the secret of its number" });
}

async function findNumber({ context }: ProviderCall, { fields }: ProviderRequest): Promise<OwnedNumber | undefined> {
  const given = fields.find(([name]) => name.toLowerCase() === "to")?.[1] ?? "";
  const number = parsePhoneNumber(given.startsWith("+") ? given : `+${given}`);
  return number === undefined ? undefined : context.store.phoneNumbers.findPhoneNumber(number);
}
