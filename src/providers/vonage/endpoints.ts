import { writeForm } from "../formats/form.ts";
import { jsonResponse, type ProviderEndpoint } from "../provider.ts";
import { vonageReceipt } from "./callbacks.ts";
import { refusalErrors, vonageErrorResponse } from "./errors.ts";
import type { VonageMessage } from "./message.ts";
import { withBasicCredentials } from "./read-key.ts";
import { readVonageSend } from "./request.ts";
import { vonageSendResponse } from "./response.ts";
import { verifyEndpoints } from "./verify-endpoints.ts";

/** Sends an SMS: `POST /sms/json`; `api_secret`, or the password of Basic, is the API key. */
const send: ProviderEndpoint = {
  method: "POST",
  isAtRoot: true,
  path: "/sms/json",
  access: "own",
  summary: "Send an SMS through the Vonage-compatible API.",
  successes: [{ status: 200, description: "Vonage's response, also for errors." }],
  handle: async ({ fields, headers }, services) => {
    const { request, error } = readVonageSend(withBasicCredentials(fields, headers));
    if (error !== undefined) return vonageErrorResponse(error);
    const { apiKey, apiSecret, from, to, text, callback, clientRef, facts: metadata } = request;
    const session = await services.authenticate(apiSecret ?? "", "send");
    const createdAt = services.now();
    const messageOf = (id: string): VonageMessage => ({ id, apiKey, from, to, text, createdAt, clientRef });
    const submission = await session.submitSms({
      from,
      to,
      text,
      metadata,
      callback:
        callback === null
          ? null
          : {
              url: callback,
              calls: (id) => [{ body: writeForm(vonageReceipt(messageOf(id), createdAt)), headers: {} }],
            },
    });
    if (submission.refusal !== undefined) return vonageErrorResponse(refusalErrors[submission.refusal]);
    return jsonResponse(200, vonageSendResponse(messageOf(submission.id)));
  },
};

/** Endpoints of Vonage's SMS API, and of Vonage Verify. */
export const vonageEndpoints: readonly ProviderEndpoint[] = [send, ...verifyEndpoints];
