import { accountRoute } from "../rows.ts";
import { quarantineListCountMax } from "../../../core/quarantine.ts";
import { listQuarantined, retryQuarantined } from "../../../operations/quarantine/quarantined-work.ts";
import { auditedAct, replayedCount } from "../../audit.ts";
import { listResponse } from "../../lists/page-response.ts";
import type { KeyRoute } from "../../route.ts";
import { replayedSchema } from "../../../operations/callbacks/delivery-schema.ts";
import { quarantineRetrySchema, quarantineSchema } from "../../wire/status-schema.ts";
import { listOf } from "../../../core/schema.ts";

const path = "/api/quarantine";

/** Routes of the work that is not attempted again because it ended the process. */
export const quarantineRoutes: readonly KeyRoute[] = [
  accountRoute("listQuarantine", `GET ${path}`, {
    summary: "List the work that is not attempted again because it ended the process or worker twice.",
    returns: [
      `At most ${quarantineListCountMax.toLocaleString("en")} pieces of work; the next ones follow when these are retried.`,
      listOf(quarantineSchema),
      { headers: { "x-total-count": "How many pieces of work there are." } },
    ],
    respond: async (call) => {
      const { works, total } = await listQuarantined(call.context, call.principal);
      const response = listResponse(call, works);
      return { ...response, headers: { ...response.headers, "x-total-count": String(total) } };
    },
  }),
  accountRoute("retryQuarantine", `POST ${path}/retry`, {
    summary: "Attempt quarantined work again.",
    body: quarantineRetrySchema,
    audit: (_call, response) => auditedAct("quarantine.retry", { details: { count: replayedCount(response) } }),
    returns: ["The number of pieces of work.", replayedSchema],
    run: async ({ context, principal }, request) => ({ replayed: await retryQuarantined(context, principal, request) }),
  }),
];
