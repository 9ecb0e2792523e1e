/** The web hooks by which real providers bring texts in. */
import { Problem } from "../../../core/errors.ts";
import { parsePhoneNumber } from "../../../core/phone-number.ts";
import type { OwnedNumber, SmsProvider } from "../../../core/owned-number.ts";
import { openNumberSecrets } from "../../../operations/number-secrets.ts";
import { receiveText } from "../../../operations/receive-text.ts";
import type { InboundText } from "../../../sms/text-message.ts";
import { emptyTwiml, readTwilioInbound } from "../../../sms/twilio-message.ts";
import { verifyTwilioRequest } from "../../../sms/twilio-signature.ts";
import { readVonageInbound } from "../../../sms/vonage-message.ts";
import { verifyVonage } from "../../../sms/vonage-signature.ts";
import { noContent, textResponse } from "../../http-response.ts";
import type { Method, ProviderCall, ProviderRoute } from "../../route.ts";

/** `POST /api/sms/twilio`: signed as Twilio signs, with the secret of the number that the text is for. */
export const twilioInboundRoute: ProviderRoute = {
  method: "POST",
  path: "/api/sms/twilio",
  operationId: null,
  summary: "Take a text from Twilio.",
  access: "provider",
  successes: [{ status: 200, description: "Empty TwiML." }],
  problems: [],
  respond: async (call) => {
    const signature = call.headers["x-twilio-signature"];
    await take(call, "twilio", readTwilioInbound, (secret) => {
      return (
        typeof signature === "string" && verifyTwilioRequest({ url: call.url, form: call.form }, signature, secret)
      );
    });
    return textResponse(emptyTwiml, "text/xml; charset=utf-8");
  },
};

/** `GET` and `POST /api/sms/vonage`: signed as Vonage signs, with the secret of the number that the text is for. */
export const vonageInboundRoutes: readonly ProviderRoute[] = (["GET", "POST"] as const).map(
  (method: Method): ProviderRoute => ({
    method,
    path: "/api/sms/vonage",
    operationId: null,
    summary: "Take a text from Vonage.",
    access: "provider",
    successes: [{ status: 204, description: "Taken." }],
    problems: [],
    respond: async (call) => {
      if (call.isHead) throw unsigned();
      await take(call, "vonage", readVonageInbound, (secret) =>
        verifyVonage(call.fields, secret, call.context.clock.now()),
      );
      return noContent;
    },
  }),
);

/** Nothing can be learnt without the secret: unknown numbers, unsigned and wrongly signed requests response the same. */
async function take(
  call: ProviderCall,
  provider: SmsProvider,
  ...[read, isSigned]: [read: (form: ProviderCall["form"]) => InboundText, isSigned: (secret: string) => boolean]
): Promise<void> {
  const number = await findNumber(call);
  if (number?.provider !== provider) throw unsigned();
  const secret = openNumberSecrets(call.context, number)?.signing ?? null;
  if (secret === null || !isSigned(secret)) throw unsigned();
  const { from, to, text, providerId } = read(call.fields);
  const hook = { number, providerId };
  await receiveText(call.context, { from, to, text, server: number.server, receivedAt: null, hook });
}

function unsigned(): Problem {
  return new Problem("unauthenticated", { text: "The request is not signed with the secret of its number" });
}

async function findNumber(call: ProviderCall): Promise<OwnedNumber | undefined> {
  const given = call.fields.find(([name]) => name.toLowerCase() === "to")?.[1] ?? "";
  const number = parsePhoneNumber(given.startsWith("+") ? given : `+${given}`);
  return number === undefined ? undefined : call.context.store.phoneNumbers.findPhoneNumber(number);
}
