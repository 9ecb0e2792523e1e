import { quarantineListCountMax } from "../../../core/quarantine.ts";
import { listQuarantined, retryQuarantined } from "../../../operations/quarantine/quarantined-work.ts";
import { auditedAct, replayedCount } from "../../audit.ts";
import { jsonResponse } from "../../http-response.ts";
import { listResponse } from "../../lists/page-response.ts";
import { jsonBodyBytesMax, type KeyRoute } from "../../route.ts";
import { replayedSchema } from "../../wire/delivery-schema.ts";
import { quarantineRetrySchema, quarantineSchema } from "../../wire/status-schema.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { listOf } from "../../../core/schema.ts";

const path = "/api/quarantine";

/** Routes of the work that is not attempted again because it ended the process. */
export const quarantineRoutes: readonly KeyRoute[] = [
  {
    method: "GET",
    path,
    operationId: "listQuarantine",
    summary: "List the work that is not attempted again because it ended the process or worker twice.",
    access: "account",
    successes: [
      {
        status: 200,
        description: `At most ${quarantineListCountMax.toLocaleString("en")} pieces of work; the next ones follow when these are retried.`,
        schema: listOf(quarantineSchema),
        headers: { "x-total-count": "How many pieces of work there are." },
      },
    ],
    problems: [],
    respond: async (call) => {
      const { works, total } = await listQuarantined(call.context, call.principal);
      const response = listResponse(call, works);
      return { ...response, headers: { ...response.headers, "x-total-count": String(total) } };
    },
  },
  {
    method: "POST",
    path: `${path}/retry`,
    operationId: "retryQuarantine",
    audit: (_call, response) => auditedAct("quarantine.retry", { details: { count: replayedCount(response) } }),
    summary: "Attempt quarantined work again.",
    access: "account",
    body: { schema: quarantineRetrySchema, bytesMax: jsonBodyBytesMax },
    successes: [{ status: 200, description: "The number of pieces of work.", schema: replayedSchema }],
    problems: ["invalid_request", "storage_full"],
    respond: async (call) => {
      const request = decodeBody(quarantineRetrySchema, call.body);
      return jsonResponse({ replayed: await retryQuarantined(call.context, call.principal, request) });
    },
  },
];
