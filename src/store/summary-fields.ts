/** Search fields of messages that were stored without them. */
import { contactValue, encodeSearchFields } from "../core/search/search-fields.ts";
import type { Summary } from "../core/message.ts";

/** Returns the encoded search fields that a summary contains: names and addresses, and attachments without names. */
export function fieldsOfSummary(json: string): string {
  const { from = [], to = [], cc = [], bcc = [], attachments = 0 } = JSON.parse(json) as Partial<Summary>;
  return encodeSearchFields({
    from: from.map(contactValue),
    to: to.map(contactValue),
    cc: cc.map(contactValue),
    bcc: bcc.map(contactValue),
    attachment: attachments > 0 ? [""] : [],
  });
}
