import { FieldCollector } from "../../../core/field-collector.ts";
import { lintProfileIds, type LintProfileId } from "../../../core/lint.ts";
import { lintMessage } from "../../../operations/checks/lint-message.ts";
import { jsonResponse } from "../../http-response.ts";
import { withSignal, type KeyRoute } from "../../route.ts";
import { lintReportSchema } from "../../wire/lint-schema.ts";
import type { Query } from "../../wire/query.ts";
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
    const request = { id: call.id, ...decodeOptions(call.query) };
    return jsonResponse(await lintMessage(withSignal(call), call.principal, request));
  },
};

/** Decodes the query; throws a 400 that names every wrong parameter. */
function decodeOptions(query: Query): { readonly isLive: boolean; readonly profile: LintProfileId | null } {
  const errors = new FieldCollector();
  const links = query.get("links") ?? "syntax";
  if (links !== "live" && links !== "syntax") {
    errors.add({ field: "links", description: "Must be one of syntax, live", code: "invalid" });
  }
  const given = query.get("profile") ?? "";
  const profile = lintProfileIds.find((id) => id === given) ?? null;
  if (given !== "" && profile === null) {
    const description = `Must be one of ${lintProfileIds.join(", ")}`;
    errors.add({ field: "profile", description, code: "invalid" });
  }
  errors.finish();
  return { isLive: links === "live", profile };
}
