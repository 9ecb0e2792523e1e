import { type KeyRoute, withSignal } from "../../route.ts";
import { getDeliverability, getSpamAnalysis } from "../../../operations/checks/analyses.ts";
import { jsonResponse } from "../../http-response.ts";
import {
  deliverabilitySchema,
  spamAnalysisSchema,
  toWireDeliverability,
  toWireSpamAnalysis,
} from "../../wire/lint-schema.ts";
import { lintReportSchema } from "../../../core/lint.ts";
import { FieldCollector } from "../../../core/field-collector.ts";
import { type LintProfileId, lintProfileIds } from "../../../core/lint.ts";
import { lintMessage } from "../../../operations/checks/lint-message.ts";
import type { Query } from "../../wire/query.ts";
import { build, schemaOf, type WireSchema } from "../../../core/schema.ts";

const linksSchema: WireSchema<unknown> = schemaOf<"syntax" | "live">()(build.enum(["syntax", "live"]));

const profileSchema: WireSchema<unknown> = schemaOf<LintProfileId>()(build.enum(lintProfileIds));

/** `GET /api/analysis/lint/:id`: lint report of a mail. */
const lintMessageRoute: KeyRoute = {
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

/** `GET /api/analysis/spam/:id`: spam score of a mail, with the rules that matched. */
const getSpamAnalysisRoute: KeyRoute = {
  method: "GET",
  path: "/api/analysis/spam/:id",
  operationId: "getSpamAnalysis",
  summary: "Analyse a mail with a spam filter.",
  access: "key",
  successes: [{ status: 200, description: "The score and the rules that matched.", schema: spamAnalysisSchema }],
  problems: ["not_found"],
  respond: async (call) =>
    jsonResponse(toWireSpamAnalysis(await getSpamAnalysis(withSignal(call), call.principal, call.id))),
};

/** `GET /api/analysis/deliverability/:id`: authentication, sender and content of a mail, checked as receivers do. */
const getDeliverabilityRoute: KeyRoute = {
  method: "GET",
  path: "/api/analysis/deliverability/:id",
  operationId: "getDeliverability",
  summary: "Check the authentication, the sender and the content of a mail as receivers do.",
  access: "key",
  successes: [{ status: 200, description: "The report.", schema: deliverabilitySchema }],
  problems: ["not_found"],
  respond: async (call) => {
    const report = await getDeliverability(withSignal(call), call.principal, call.id);
    return jsonResponse(toWireDeliverability(report));
  },
};

/** Routes below `/api/analysis`. */
export const analysisRoutes: readonly KeyRoute[] = [getSpamAnalysisRoute, getDeliverabilityRoute, lintMessageRoute];
