/** Tests of webhooks, and the status of their batches: https://developers.sparkpost.com/api/webhooks/ */
import type { CallbackRequest, CallbackSigning } from "../callbacks.ts";
import { derivedHex, jsonBody } from "../formats/callback-values.ts";
import { naturalOf } from "../formats/form.ts";
import type { JsonObject } from "../formats/json-body.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { askReceiver, openWebhook, type ReceiverAnswer, type ReceiverTest, type WebhookApi } from "../kit/webhooks.ts";
import { jsonResponse } from "../provider.ts";
import type { WebhookAttempt } from "../webhooks.ts";
import { rejection, targetFailed } from "./errors.ts";
import { readMembers } from "./request.ts";
import { credentialHeaders } from "./webhook.ts";

/** Handlers of the endpoints, by the names that rows have. */
export type StatusHandlers = Readonly<Record<"validate" | "listBatches", Handler>>;

/** Test of a receiver with a batch whose event is empty; only 200 accepts it. */
export const receiverTest: ReceiverTest = {
  requestOf: (receiver, call) => testRequest(receiver, call, [{ msys: {} }]),
  errorOf: (answer) => {
    if ("refusal" in answer) return targetFailed(`Test POST to endpoint failed: ${answer.refusal}`);
    return answer.status === 200 ? null : targetFailed(`Test POST to endpoint failed with code ${answer.status}`);
  },
};

function testRequest(
  receiver: Pick<CallbackSigning, "url" | "secrets">,
  { services }: Pick<Call, "services">,
  batch: unknown,
): CallbackRequest {
  const headers = credentialHeaders(receiver, derivedHex(32, "test", services.now()));
  return { ...headers, contentType: "application/json", body: jsonBody(batch) };
}

/** Time for which the status of batches is known. */
const statusMs = 24 * 3_600_000;
const batchCountMax = 1000;

/** Returns the handlers of an API. */
export function statusHandlers<Selection>(api: WebhookApi<Selection>): StatusHandlers {
  return {
    /** Sends a message to the target: `POST /webhooks/:id/validate`. */
    validate: async (call) => {
      const webhook = await openWebhook(api, call);
      const message = readMembers(call.request).value("message") ?? { msys: {} };
      const request = testRequest(webhook, call, Array.isArray(message) ? message : [message]);
      const answer = await askReceiver(api, call, { url: webhook.url, request });
      const error = receiverTest.errorOf(answer);
      if (error !== null) throw error;
      return jsonResponse(200, { results: { msg: "Test POST to endpoint succeeded", response: answerJson(answer) } });
    },
    /** Lists the batches of the last day that failed at least once: `GET /webhooks/:id/batch-status`. */
    listBatches: async (call) => {
      const { request, services, session } = call;
      const wrong = rejection("invalidFormat", "limit must be from 1 to 1000");
      const limit = naturalOf(request.fields, "limit", { absent: batchCountMax, max: batchCountMax, invalid: wrong });
      if (limit === 0) throw wrong;
      const { id } = await openWebhook(api, call);
      const attempts = await api.of(session).attempts(id, services.now() - statusMs);
      const batches = Map.groupBy(attempts, ({ headers }) => headers["x-messagesystems-batch-id"] ?? "");
      const failed = [...batches].filter(([, own]) => own.some(({ isFailed }) => isFailed));
      return jsonResponse(200, { results: failed.slice(0, limit).map(batchJson) });
    },
  };
}

function answerJson(answer: ReceiverAnswer): JsonObject {
  if ("refusal" in answer) return {};
  const { status, headers, body } = answer;
  return { status, headers, body: Buffer.from(body).toString("utf8") };
}

/** Each event of a batch has an attempt of its own, which started with those of the others. */
function batchJson([id, attempts]: readonly [string, readonly WebhookAttempt[]]): JsonObject {
  const instants = new Set(attempts.map(({ at }) => at));
  const last = attempts.reduce((one, other) => (other.at >= one.at ? other : one));
  return {
    batch_id: id,
    ts: new Date(last.at).toISOString(),
    attempts: instants.size,
    ...(last.status === null ? { failure_code: "connection_error" } : { response_code: String(last.status) }),
  };
}
