/** Schemas of unsubscribe requests; the compiler compares the report with its type in `core/unsubscribe.ts`. */
import { unsubscribeCheckNames, type UnsubscribeCheck, type UnsubscribeReport } from "../../core/unsubscribe.ts";
import type { UnsubscribeRequest } from "../../operations/messages/unsubscribe-message.ts";
import { build, orNull, refer, schemaOf, type WireSchema } from "./schema.ts";

/** Request body that unsubscribes. */
export const unsubscribeRequestSchema: WireSchema<UnsubscribeRequest> = schemaOf<UnsubscribeRequest>()(
  build.object({
    requireDkim: build.optional(
      build.boolean({
        default: false,
        description: "Whether the request is only sent when a valid DKIM signature covers both header fields.",
      }),
    ),
  }),
);

/** Schema of a check. */
export const unsubscribeCheckSchema: WireSchema<UnsubscribeCheck> = schemaOf<UnsubscribeCheck>()(
  build.object(
    {
      name: build.enum(unsubscribeCheckNames),
      result: build.enum(["pass", "fail", "skipped"]),
      text: build.string({ description: "Result in words." }),
    },
    { $id: "UnsubscribeCheck" },
  ),
);

/** Schema of a report. */
export const unsubscribeReportSchema: WireSchema<UnsubscribeReport> = schemaOf<UnsubscribeReport>()(
  build.object(
    {
      ok: build.boolean({ description: "Whether the request was sent and no check failed." }),
      url: orNull(build.string({ description: "URL of the request; null when the mail names none." })),
      mailto: build.array(build.string(), { description: "`mailto:` addresses, to which nothing is sent." }),
      dkim: build.enum(["pass", "none", "fail", "unverified"], {
        description: "Whether a valid DKIM signature covers both header fields.",
      }),
      checks: build.array(refer(unsubscribeCheckSchema), { description: "Checks of the mail and the response." }),
      response: orNull(
        build.object(
          {
            status: build.integer({ description: "Status of the response." }),
            durationMs: build.number({ description: "Milliseconds until the end of the response." }),
          },
          { description: "Null when the request was not sent or not answered." },
        ),
      ),
    },
    { $id: "UnsubscribeReport" },
  ),
);
