import { keyRoute } from "../rows.ts";
import { contentBodyBytesMax, type KeyRoute, withSignal } from "../../route.ts";
import { getDeliverability, getMailReports, getSpamAnalysis } from "../../../operations/checks/analyses.ts";
import {
  deliverabilitySchema,
  spamAnalysisSchema,
  toWireDeliverability,
  toWireSpamAnalysis,
} from "../../wire/lint-schema.ts";
import { type LintProfileId, lintProfileIds, lintReportSchema } from "../../../core/lint.ts";
import { FieldCollector } from "../../../core/field-collector.ts";
import { mailReportsSchema } from "../../../core/mail-reports.ts";
import { snapshotOptionsSchema, screenshotOptionsSchema, screenshotReportSchema } from "../../../core/snapshot.ts";
import { getSnapshot, matchScreenshot } from "../../../operations/checks/snapshot-message.ts";
import { budgetReportSchema, mailBudgetSchema } from "../../../core/mail-budget.ts";
import { judgeBudget } from "../../../operations/checks/judge-budget.ts";
import { localeComparisonSchema, localisationReportSchema } from "../../../core/localisation.ts";
import { compareLocalisations } from "../../../operations/checks/compare-localisations.ts";
import { jsonResponse, textResponse } from "../../http-response.ts";
import { lintMessage } from "../../../operations/checks/lint-message.ts";
import type { Query } from "../../wire/query.ts";
import { build, schemaOf, type WireSchema } from "../../../core/schema.ts";

const linksSchema: WireSchema<unknown> = schemaOf<"syntax" | "live">()(build.enum(["syntax", "live"]));

const profileSchema: WireSchema<unknown> = schemaOf<LintProfileId>()(build.enum(lintProfileIds));

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

/** Routes below `/api/analysis`. */
export const analysisRoutes: readonly KeyRoute[] = [
  keyRoute("getSpamAnalysis", "GET /api/analysis/spam/:id", {
    summary: "Analyse a mail with a spam filter.",
    returns: ["The score and the rules that matched.", spamAnalysisSchema],
    run: async (call) => toWireSpamAnalysis(await getSpamAnalysis(withSignal(call), call.principal, call.id)),
  }),
  keyRoute("getDeliverability", "GET /api/analysis/deliverability/:id", {
    summary: "Check the authentication, the sender and the content of a mail as receivers do.",
    returns: ["The report.", deliverabilitySchema],
    run: async (call) => toWireDeliverability(await getDeliverability(withSignal(call), call.principal, call.id)),
  }),
  keyRoute("lintMessage", "GET /api/analysis/lint/:id", {
    summary: "Lint a mail: headers, structure, accessibility, links, compatibility.",
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
    returns: ["The report.", lintReportSchema],
    run: async (call) => {
      const request = { id: call.id, ...decodeOptions(call.query) };
      return lintMessage(withSignal(call), call.principal, request);
    },
  }),
  keyRoute("getMailReports", "GET /api/analysis/reports/:id", {
    summary: "Read the reports in a mail: DMARC, TLS, complaints, deliveries, dispositions.",
    returns: ["The reports; all lists are empty for a mail that is none.", mailReportsSchema],
    run: async (call) => getMailReports(withSignal(call), call.principal, call.id),
  }),
  keyRoute("judgeBudget", "POST /api/analysis/budget/:id", {
    summary: "Judge a mail by limits of its size, content, support by email clients and spam score.",
    permission: "read",
    body: mailBudgetSchema,
    isStrict: true,
    returns: ["The verdicts.", budgetReportSchema],
    respond: async (call) => {
      return jsonResponse(await judgeBudget(withSignal(call), call.principal, call));
    },
  }),
  keyRoute("snapshotMessage", "POST /api/analysis/snapshot/:id", {
    summary: "Describe a message as a text that is equal for two sendings of the same message.",
    permission: "read",
    body: snapshotOptionsSchema,
    isStrict: true,
    returns: [
      {
        status: 200,
        description: "Header fields, text, links, images and attachments, with what differs between sendings masked.",
        contentType: "text/plain",
      },
    ],
    respond: async (call) => {
      const text = await getSnapshot(withSignal(call), call.principal, call);
      return textResponse(text, "text/plain; charset=utf-8");
    },
  }),
  keyRoute("matchScreenshot", "POST /api/analysis/screenshot/:id", {
    summary: "Render a mail in an email client, and compare the picture with a baseline.",
    permission: "read",
    body: screenshotOptionsSchema,
    isStrict: true,
    bytesMax: contentBodyBytesMax,
    returns: ["The comparison.", screenshotReportSchema],
    problems: ["unavailable"],
    respond: async (call) => {
      return jsonResponse(await matchScreenshot(withSignal(call), call.principal, call));
    },
  }),
  keyRoute("compareLocalisations", "POST /api/analysis/localisation", {
    summary: "Compare a mail with its translations: missing ones, direction, dates, plurals, overflowing text.",
    permission: "read",
    body: localeComparisonSchema,
    isStrict: true,
    problems: ["not_found"],
    returns: ["Subjects and faults by locale.", localisationReportSchema],
    respond: async (call) => jsonResponse(await compareLocalisations(withSignal(call), call.principal, call)),
  }),
];
