import { invalidField } from "../../../core/errors.ts";
import { lintProfileIds, type LintProfileId } from "../../../core/lint.ts";
import { lintMessage } from "../../../operations/checks/lint-message.ts";
import { jsonResponse } from "../../http-response.ts";
import { withSignal, type KeyRoute } from "../../route.ts";
import { lintReportSchema } from "../../wire/lint-schema.ts";
import { build, schemaOf, type WireSchema } from "../../wire/schema.ts";

const linksSchema: WireSchema<unknown> = schemaOf<"syntax" | "live">()(build.enum(["syntax", "live"]));

const profileSchema: WireSchema<unknown> = schemaOf<LintProfileId>()(build.enum(lintProfileIds));

/** `GET /api/analysis/lint/:id`: lint report of a mail. */
export const lintMessageRoute: KeyRoute = {
  method: "GET",
  path: "/api/analysis/lint/:id",
  operationId: "lintMessage",
  summary: "Lint a mail: headers, structure, accessibility, links, compatibility.",
  access: "key",
  query: [
    {
      name: "links",
      description: "`live` requests every web link; `syntax` (default) makes no connection.",
      schema: linksSchema,
    },
    {
      name: "profile",
      description:
        "Also judges the requirements of receivers: `bulk-sender` those of Gmail and Yahoo for bulk senders.",
      schema: profileSchema,
    },
  ],
  successes: [{ status: 200, description: "The report.", schema: lintReportSchema }],
  problems: ["invalid_request", "not_found"],
  respond: async (call) => {
    const links = call.query.get("links") ?? "syntax";
    if (links !== "live" && links !== "syntax") throw invalidField("links", "Must be one of syntax, live");
    const given = call.query.get("profile") ?? "";
    const profile = given === "" ? null : lintProfileIds.find((id) => id === given);
    if (profile === undefined) throw invalidField("profile", `Must be one of ${lintProfileIds.join(", ")}`);
    const request = { id: call.id, isLive: links === "live", profile };
    return jsonResponse(await lintMessage(withSignal(call), call.principal, request));
  },
};
