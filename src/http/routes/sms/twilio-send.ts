import type { Principal } from "../../../core/api-key.ts";
import { Problem } from "../../../core/errors.ts";
import { decodeMessageId, type MessageId } from "../../../core/ids.ts";
import { captureText, type CaptureRefusal, type StatusCallback } from "../../../operations/capture-text.ts";
import { writeForm } from "../../../sms/form.ts";
import { twilioError, type TwilioErrorCode } from "../../../sms/twilio-error.ts";
import {
  readTwilioSend,
  twilioMessageResource,
  twilioSid,
  twilioStatusCallback,
  twilioStatusCourse,
  type TwilioMessage,
  type TwilioSendRequest,
} from "../../../sms/twilio-message.ts";
import { signTwilioRequest } from "../../../sms/twilio-signature.ts";
import { jsonResponse, type HttpResponse } from "../../http-response.ts";
import { readKey } from "../../auth.ts";
import type { ProviderCall, ProviderRoute } from "../../route.ts";
import { authenticateByKey, inTwilioShape, twilioRefusal } from "./provider-refusal.ts";

const refusals: Readonly<Record<CaptureRefusal, TwilioErrorCode>> = {
  no_server: 21211,
  unsubscribed: 21610,
  callback: 21609,
};

/** `POST /2010-04-01/Accounts/:account/Messages.json`: Twilio's own send request, captured. */
export const twilioSendRoute: ProviderRoute = {
  method: "POST",
  path: "/2010-04-01/Accounts/:account/Messages.json",
  operationId: null,
  summary: "Send a text as with Twilio.",
  access: "provider",
  successes: [{ status: 201, description: "Twilio's message resource." }],
  problems: [],
  respond: async (call) => inTwilioShape(async () => send(call, await authenticateByKey(call, "send"))),
};

async function send(call: ProviderCall, principal: Principal): Promise<HttpResponse> {
  const reading = readTwilioSend(call.form);
  if (reading.error !== undefined) return twilioRefusal(reading.error);
  const { from, to, text, statusCallback } = reading.request;
  const sender = /^MG[0-9a-f]{32}$/i.test(from) ? "restante" : from;
  const callback = statusCallback === null ? null : callbackOf(call, reading.request, statusCallback);
  const captured = await captureText(call.context, principal, { from: sender, to, text, callback });
  if (captured.refusal !== undefined) {
    const value = captured.refusal === "callback" ? (statusCallback ?? "") : to;
    return twilioRefusal(twilioError(refusals[captured.refusal], value));
  }
  return { ...jsonResponse(twilioMessageResource(messageOf(call, reading.request, captured.id))), status: 201 };
}

function messageOf(call: ProviderCall, request: TwilioSendRequest, id: MessageId): TwilioMessage {
  const { from, to, text, messagingServiceSid } = request;
  return {
    sid: twilioSid("SM", id),
    accountSid: accountOf(call),
    from,
    to,
    text,
    createdAt: decodeMessageId(id).receivedAt,
    status: "queued",
    messagingServiceSid,
  };
}

/** Signed with what the application knows as its auth token: the key that it sent. */
function callbackOf(call: ProviderCall, request: TwilioSendRequest, url: string): StatusCallback {
  const token = readKey(call.headers.authorization);
  if (token === undefined) throw new Problem("unauthenticated");
  const calls = (id: MessageId): ReturnType<StatusCallback["calls"]> =>
    twilioStatusCourse.map((status) => {
      const form = twilioStatusCallback({ ...messageOf(call, request, id), status });
      return { body: writeForm(form), headers: { "x-twilio-signature": signTwilioRequest({ url, form }, token) } };
    });
  return { url, calls };
}

/** The account as the caller names it: it is theirs, and means nothing here. */
export function accountOf({ path }: Pick<ProviderCall, "path">): string {
  return path.split("/")[3] ?? "";
}
