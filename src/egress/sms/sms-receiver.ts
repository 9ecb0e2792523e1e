/** Rendering of callbacks for SMS. */
import type { WebhookRequest } from "../../providers/sms.ts";
import type { CallbackReceiver, RenderedCallback, SmsContent, StatusContent } from "../callbacks/delivery-content.ts";
import { numberFailure, openNumber, type NumberDependencies } from "./deliver-sms.ts";

/** Returns the receiver of an SMS or of a status report. */
export function smsReceiver(dependencies: NumberDependencies, content: SmsContent | StatusContent): CallbackReceiver {
  return {
    batchCountMax: 1,
    render: async (_deliveries, now) =>
      content.kind === "status" ? rendered(content.url, content.call) : renderReply(dependencies, content, now),
  };
}

/** Renders a reply with the settings that its number has now. Rejects with `DeliveryFailure`. */
async function renderReply(
  dependencies: NumberDependencies,
  { reply }: SmsContent,
  now: number,
): Promise<RenderedCallback> {
  const { provider, webhook: url, secrets } = await openNumber(dependencies, reply.from);
  if (url === null) throw numberFailure("The number no longer has a webhook", true);
  return rendered(url, provider.sms.deliver(reply, { url, secret: secrets.signing, now }));
}

function rendered(url: string, { body, headers }: WebhookRequest): RenderedCallback {
  const request = {
    headers: { accept: "application/json", ...headers },
    contentType: "application/x-www-form-urlencoded",
    body: Buffer.from(body, "utf8"),
  };
  return { url, request, deliveryCount: 1, failsOnClientError: true };
}
