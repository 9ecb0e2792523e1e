import { countSegments } from "../../core/sms.ts";
import { withoutPlus, type VonageMessage } from "./message.ts";

/** Returns the JSON of a successful send request: one entry for each segment. */
export function vonageSendResponse(message: VonageMessage): Readonly<Record<string, unknown>> {
  const { segments } = countSegments(message.text);
  const entry = (index: number): Readonly<Record<string, string>> => ({
    to: withoutPlus(message.to),
    "message-id": index === 0 ? message.id : `${message.id}-${index + 1}`,
    status: "0",
    "remaining-balance": "0.00000000",
    "message-price": "0.00000000",
    network: "00000",
    ...(message.clientRef !== null && { "client-ref": message.clientRef }),
  });
  const messages = Array.from({ length: segments }, (_, index) => entry(index));
  return { "message-count": String(segments), messages };
}
