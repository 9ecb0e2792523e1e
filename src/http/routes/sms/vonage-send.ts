import { authenticate } from "../../../operations/authenticate.ts";
import { captureText, type CaptureRefusal } from "../../../operations/capture-text.ts";
import { requireScope } from "../../../operations/require-scope.ts";
import { writeForm } from "../../../sms/form.ts";
import {
  readVonageSend,
  vonageReceipt,
  vonageSendAnswer,
  type VonageError,
  type VonageMessage,
} from "../../../sms/vonage-message.ts";
import { jsonResponse, type HttpResponse } from "../../http-response.ts";
import type { ProviderCall, ProviderRoute } from "../../route.ts";
import { inVonageShape, vonageRefusal } from "./provider-refusal.ts";

const refusals: Readonly<Record<CaptureRefusal, VonageError>> = {
  no_server: { status: "3", text: "Invalid to address" },
  unsubscribed: { status: "15", text: "The recipient asked for no more" },
  callback: { status: "3", text: "Invalid callback" },
};

/** `POST /sms/json`: Vonage's own send request, captured; `api_secret` is the key. */
export const vonageSendRoute: ProviderRoute = {
  method: "POST",
  path: "/sms/json",
  operationId: null,
  summary: "Send a text as with Vonage.",
  access: "provider",
  successes: [{ status: 200, description: "Vonage's response, also for refusals." }],
  problems: [],
  respond: async (call) => inVonageShape(() => send(call)),
};

async function send(call: ProviderCall): Promise<HttpResponse> {
  const reading = readVonageSend(call.fields);
  if (reading.error !== undefined) return vonageRefusal(reading.error);
  const { apiKey, apiSecret, from, to, text, callback } = reading.request;
  const { context, clientAddress } = call;
  const { principal } = await authenticate(context, { key: apiSecret ?? "", clientAddress });
  requireScope(principal, "send");
  const createdAt = context.clock.now();
  const messageOf = (id: string): VonageMessage => ({ id, apiKey, from, to, text, createdAt });
  const captured = await captureText(context, principal, {
    from,
    to,
    text,
    callback:
      callback === null
        ? null
        : {
            url: callback,
            calls: (id) => [{ body: writeForm(vonageReceipt(messageOf(id), createdAt)), headers: {} }],
          },
  });
  if (captured.refusal !== undefined) return vonageRefusal(refusals[captured.refusal]);
  return jsonResponse(vonageSendAnswer(messageOf(captured.id)));
}
