import { isPolicyHost, mtaStsPath } from "../../../core/mta-sts.ts";
import { Problem } from "../../../core/errors.ts";
import { hostName } from "../../host-guard.ts";
import { textResponse } from "../../http-response.ts";
import type { OpenRoute } from "../../route.ts";

/** MTA-STS policy (RFC 8461 §3.3), at the host names of the mail domain and of those below it only. */
export const mtaStsRoute: OpenRoute = {
  method: "GET",
  path: mtaStsPath,
  operationId: null,
  summary:
    "Read the MTA-STS policy of a mail domain, at the host `mta-sts.<mail domain>`, or `mta-sts.` and a domain below it.",
  access: "open",
  successes: [{ status: 200, description: "The policy.", contentType: "text/plain" }],
  problems: ["not_found"],
  respond: ({ context, headers }) => {
    const { mtaSts } = context.settings;
    if (mtaSts === null || !isPolicyHost(hostName(headers.host ?? "") ?? "", mtaSts)) throw new Problem("not_found");
    return textResponse(mtaSts.text, "text/plain; charset=utf-8");
  },
};
