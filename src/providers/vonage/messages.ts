import { writeForm } from "../formats/form.ts";
import type { OpenHandler } from "../kit/endpoints.ts";
import { jsonResponse } from "../provider.ts";
import { refusals } from "./errors.ts";
import { vonageReceipt, vonageSendResponse, type VonageMessage } from "./message.ts";
import { withBasicCredentials } from "./read-key.ts";
import { readVonageSend } from "./request.ts";

/** Sends an SMS: `POST /sms/json`; `api_secret`, or the password of Basic, is the API key. */
export const sendMessage: OpenHandler = async ({ request, services }) => {
  const sent = readVonageSend(withBasicCredentials(request.fields, request.headers));
  const { apiKey, from, to, text, callback: url, clientRef, facts: metadata } = sent;
  const session = await services.authenticate(sent.apiSecret ?? "", "send");
  const createdAt = services.now();
  const messageOf = (id: string): VonageMessage => ({ id, apiKey, from, to, text, createdAt, clientRef });
  const receiptOf = (id: string): string => writeForm(vonageReceipt(messageOf(id), createdAt));
  const callback = url === null ? null : { url, calls: (id: string) => [{ body: receiptOf(id), headers: {} }] };
  const submission = await session.submitSms({ from, to, text, metadata, callback });
  if (submission.refusal !== undefined) throw refusals[submission.refusal];
  return jsonResponse(200, vonageSendResponse(messageOf(submission.id)));
};
