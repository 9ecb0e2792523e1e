/** Requests of MailerSend, which events and inbound mail share: https://developers.mailersend.com/api/v1/webhooks#security */
import type { CallbackRequest, CallbackSigning } from "../callbacks.ts";
import { derivedHex, jsonText } from "../formats/callback-values.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { bodySignature, type BodySignature } from "../kit/body-signature.ts";
import type { ReceiverTest } from "../kit/webhooks.ts";
import { invalid } from "./errors.ts";
import { instantText } from "./response.ts";

/** Signature of webhooks and inbound routes. */
export const signature: BodySignature = bodySignature("Signature");

/** Returns a signed request with a JSON body, written as PHP writes JSON: in ASCII, with escaped slashes. */
export function signedRequest(value: JsonObject, signing: Pick<CallbackSigning, "url" | "secrets">): CallbackRequest {
  const text = jsonText(value)
    .replaceAll("/", "\\/")
    .replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return signature.sign(Buffer.from(text, "latin1"), signing);
}

const testSecret = "test_Am3L1GuOIc4blLUuHqAPxxwkZaJyEk8G";

/** Test of a receiver, which is signed with a secret that all webhooks share; any status 2xx accepts it. */
export const receiverTest: ReceiverTest = {
  requestOf: ({ url }, { services }) => {
    const createdAt = instantText(services.now());
    const value = { type: "webhook.test", message: "This is a ping test message", created_at: createdAt };
    return signedRequest(value, { url, secrets: { secret: testSecret } });
  },
  errorOf: (answer) => {
    if ("status" in answer && answer.status >= 200 && answer.status < 300) return null;
    const reason = "status" in answer ? `a status of ${String(answer.status)}` : answer.refusal;
    return invalid(["url", `The url did not accept a test request: ${reason}.`]);
  },
};

/** Returns the id of the webhook with a UUID. */
export function idOfWebhook(uuid: string): string {
  return derivedHex(16, uuid);
}
