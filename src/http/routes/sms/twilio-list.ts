import { listTexts, type TextFilter } from "../../../operations/list-texts.ts";
import { fieldOf } from "../../../sms/form.ts";
import { twilioMessagePage } from "../../../sms/twilio-message.ts";
import { jsonResponse } from "../../http-response.ts";
import type { ProviderCall, ProviderRoute } from "../../route.ts";
import { parseInstant } from "../../wire/date.ts";
import { authenticateByKey, inTwilioShape } from "./provider-refusal.ts";
import { toTwilioMessage } from "./twilio-fetch.ts";
import { accountOf } from "./twilio-send.ts";

/** As Twilio has them. */
const pageSizeUsual = 50;
const pageSizeMax = 1000;
const dayMs = 24 * 3_600_000;

/** `GET /2010-04-01/Accounts/:account/Messages.json`: captured texts as Twilio would list them, newest first. */
export const twilioListRoute: ProviderRoute = {
  method: "GET",
  path: "/2010-04-01/Accounts/:account/Messages.json",
  operationId: null,
  summary: "List texts as with Twilio.",
  access: "provider",
  successes: [],
  problems: [],
  respond: async (call) =>
    inTwilioShape(async () => {
      const principal = await authenticateByKey(call, "read");
      const filter = filterOf(call);
      const { texts, hasMore } = await listTexts(call.context, principal, filter);
      const messages = texts.map((text) => toTwilioMessage(call, text));
      const { page, itemsPerPage: pageSize } = filter;
      return jsonResponse(
        twilioMessagePage(messages, { accountSid: accountOf(call), page, pageSize, hasMore, query: call.fields }),
      );
    }),
};

/** What cannot be read counts as absent, as it does with Twilio. */
function filterOf({ fields }: ProviderCall): TextFilter {
  const number = (name: string, usual: number): number => {
    const text = fieldOf(fields, name) ?? "";
    return /^\d{1,6}$/.test(text) ? Number(text) : usual;
  };
  const instant = (name: string): number | null => parseInstant(fieldOf(fields, name) ?? "") ?? null;
  // A whole day of UTC; the official libraries write the instant within it.
  const within = instant("DateSent");
  const day = within === null ? null : within - (within % dayMs);
  return {
    from: fieldOf(fields, "From") ?? null,
    to: fieldOf(fields, "To") ?? null,
    since: day ?? instant("DateSent>"),
    before: day === null ? instant("DateSent<") : day + dayMs,
    page: number("Page", 0),
    itemsPerPage: Math.min(pageSizeMax, Math.max(1, number("PageSize", pageSizeUsual))),
  };
}
