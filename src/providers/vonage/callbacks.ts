import type { FormFields } from "../../core/read-form.ts";
import { timestampOf, withoutPlus, type VonageMessage } from "./message.ts";

/** Returns the parameters of a delivery receipt; `deliveredAt` in milliseconds since the Unix epoch. */
export function vonageReceipt(message: VonageMessage, deliveredAt: number): FormFields {
  return [
    ["msisdn", withoutPlus(message.to)],
    ["to", withoutPlus(message.from)],
    ["network-code", "00000"],
    ["messageId", message.id],
    ["price", "0.00000000"],
    ["status", "delivered"],
    ["scts", timestampOf(deliveredAt).replaceAll(/\D/g, "").slice(2, 12)],
    ["err-code", "0"],
    ["api-key", message.apiKey],
    ...(message.clientRef === null ? [] : [["client-ref", message.clientRef] as const]),
    ["message-timestamp", timestampOf(deliveredAt)],
  ];
}
