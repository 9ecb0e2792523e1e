import { notFound } from "../../../core/errors.ts";
import type { Message } from "../../../core/message.ts";
import { getMessage } from "../../../operations/get-message.ts";
import { twilioMessageResource, twilioSid, type TwilioMessage } from "../../../sms/twilio-message.ts";
import { jsonResponse } from "../../http-response.ts";
import type { ProviderCall, ProviderRoute } from "../../route.ts";
import { authenticateByKey, inTwilioShape } from "./provider-refusal.ts";
import { accountOf } from "./twilio-send.ts";

/** `GET /2010-04-01/Accounts/:account/Messages/:id.json`: a captured text as Twilio would show it. */
export const twilioFetchRoute: ProviderRoute = {
  method: "GET",
  path: "/2010-04-01/Accounts/:account/Messages/:id",
  operationId: null,
  summary: "Look a text up as with Twilio.",
  access: "provider",
  successes: [],
  problems: [],
  respond: async (call) =>
    inTwilioShape(async () => {
      const principal = await authenticateByKey(call, "read");
      const message = await getMessage(call.context, principal, uuidOf(call.id));
      if (message.type !== "SMS") throw notFound("Message");
      return jsonResponse(twilioMessageResource(toTwilioMessage(call, message)));
    }),
};

/** A stored text in Twilio's terms, for the account that the caller names. */
export function toTwilioMessage(call: ProviderCall, message: Message): TwilioMessage {
  return {
    sid: twilioSid("SM", message.id),
    accountSid: accountOf(call),
    from: message.from[0]?.phone ?? "",
    to: message.to[0]?.phone ?? "",
    text: message.text.body ?? "",
    createdAt: Date.parse(message.received),
    status: "delivered",
    messagingServiceSid: null,
  };
}

/** The UUID within Twilio's kind of id; "" for what is none. */
function uuidOf(sid: string): string {
  const hex = /^SM([0-9a-f]{32})(?:\.json)?$/.exec(sid)?.[1] ?? "";
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
