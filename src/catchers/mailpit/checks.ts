import { STATUS_CODES } from "node:http";
import { getCompatibility, getSpamAnalysis } from "../../operations/checks/analyses.ts";
import { openMessage } from "../../operations/services/reading/get-message.ts";
import { probeLinks } from "../../operations/checks/lint-message.ts";
import { type CatcherRoute, catcherRoutes } from "../catcher.ts";
import { badRequest } from "../read-json.ts";
import { readingContext } from "../received-message.ts";
import { resolveId } from "./message.ts";
import { json } from "./shapes.ts";
import type { HtmlCompatibility } from "../../operations/services/inspection/inspection.ts";

const path = "/api/v1/message/:id";

/** Most links that one call requests. */
const linkCountMax = 100;

/** Routes of the checks of a message. */
export const checkRoutes: readonly CatcherRoute[] = catcherRoutes("read", {
  [`GET ${path}/html-check`]: async (call) => {
    const report = await getCompatibility(readingContext(call), call.principal, await resolveId(call));
    if (report === null) throw badRequest("message does not contain HTML");
    return json(toHtmlCheck(report));
  },
  [`GET ${path}/link-check`]: async (call) => {
    const { probeLink } = call.context;
    const { message } = await openMessage(readingContext(call), call.principal, await resolveId(call));
    const { html, text } = message;
    const found = [...html.links.map(({ href }) => href), ...html.images.map(({ src }) => src)];
    const links = [...found, ...text.links.map(({ href }) => href)].filter((href) => /^https?:\/\//i.test(href));
    if (links.length === 0) return json({ Errors: 0, Links: [] });
    if (probeLink === null) throw badRequest("this functionality has been disabled: set RESTANTE_LINK_CHECK=yes");
    const responses = await probeLinks([...new Set(links)].slice(0, linkCountMax), probeLink);
    // The status code is 0 without a response.
    const checked = responses.map(({ link, status, problem }) => {
      const text = status === null ? (problem ?? "") : (STATUS_CODES[status] ?? "");
      return { URL: link, StatusCode: status ?? 0, Status: text };
    });
    const failed = checked.filter(({ StatusCode: status }) => status === 0 || status >= 400);
    return json({ Errors: failed.length, Links: checked });
  },
  [`GET ${path}/sa-check`]: async (call) => {
    const id = await resolveId(call);
    const { score, threshold, rules, engineProblem } = await getSpamAnalysis(readingContext(call), call.principal, id);
    return json({
      IsSpam: score >= threshold,
      Error: engineProblem ?? "",
      Score: score,
      Rules: rules.map(({ rule, score: points, description }) => {
        return { Score: points, Name: rule, Description: description };
      }),
    });
  },
});

type Support = "yes" | "partial" | "no";

/** Shares of email clients in percent. */
type SupportShares = Readonly<Record<"Supported" | "Partial" | "Unsupported", number>>;

/**
 * Returns the comparison of HTML with email clients in Mailpit's form. The data has no versions, notes and descriptions, and
 * each feature counts once, however often the HTML uses it.
 */
function toHtmlCheck({ features, clients, featureCount, elementCount }: HtmlCompatibility): unknown {
  const warnings = features.map((feature) => {
    const unsupported = new Set(feature.unsupported);
    const partial = new Set(feature.partial);
    const supportOf = (name: string): Support => (unsupported.has(name) ? "no" : partial.has(name) ? "partial" : "yes");
    const slug = new URL(feature.url).pathname.split("/").find((one) => /^[a-z]+-/.test(one)) ?? "";
    return {
      Slug: slug,
      Title: feature.title,
      Description: "",
      URL: feature.url,
      Category: slug.startsWith("css-") ? "css" : "html",
      Tags: [],
      Keywords: "",
      Results: clients.map((name) => resultOf(name, supportOf(name))),
      NotesByNumber: {},
      Score: { Found: 1, ...sharesOf(unsupported.size, partial.size, clients.length) },
    };
  });
  const ordered = warnings.toSorted((a, b) => b.Score.Unsupported - a.Score.Unsupported);
  return { Warnings: ordered, Platforms: platformsOf(clients), Total: totalOf(ordered, featureCount, elementCount) };
}

function totalOf(
  warnings: readonly { readonly Score: SupportShares }[],
  featureCount: number,
  elementCount: number,
): Readonly<Record<string, number>> {
  // As in Mailpit, the worst feature counts, weighted by the share of elements that use it.
  const weighted = (name: "Unsupported" | "Partial"): number =>
    warnings.reduce((most, { Score }) => Math.max(most, Score[name] / Math.max(1, elementCount)), 0);
  const [unsupported, partial] = [weighted("Unsupported"), weighted("Partial")];
  return {
    Tests: featureCount,
    Nodes: elementCount,
    Supported: 100 - partial - unsupported,
    Partial: partial,
    Unsupported: unsupported,
  };
}

function sharesOf(unsupported: number, partial: number, all: number): SupportShares {
  const percent = (count: number): number => (count / all) * 100;
  return {
    Supported: percent(all - unsupported - partial),
    Partial: percent(partial),
    Unsupported: percent(unsupported),
  };
}

/** Returns the support of a feature by an email client. */
function resultOf(client: string, support: Support): Readonly<Record<string, string>> {
  const [family, platform] = split(client);
  return { Name: client, Platform: platform, Family: family, Version: "", Support: support, NoteNumber: "" };
}

/** Returns the families of email clients by their platforms. */
function platformsOf(clients: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const platforms = Map.groupBy(clients.map(split), ([, platform]) => platform);
  return Object.fromEntries(Array.from(platforms, ([platform, pairs]) => [platform, pairs.map(([family]) => family)]));
}

/** Splits `Outlook (Windows Mail)` into `outlook` and `windows-mail`. */
function split(client: string): readonly [family: string, platform: string] {
  const [, family = client, platform = ""] = /^(.*) \((.*)\)$/.exec(client) ?? [];
  const slug = (text: string): string =>
    text
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "-")
      .replaceAll(/^-|-$/g, "");
  return [slug(family), slug(platform)];
}
