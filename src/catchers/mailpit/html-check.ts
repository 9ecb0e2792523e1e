import type { HtmlCompatibility } from "../../operations/services/reading/html-compatibility.ts";

type Support = "yes" | "partial" | "no";

/** Shares of email clients in percent. */
type SupportShares = Readonly<Record<"Supported" | "Partial" | "Unsupported", number>>;

/**
 * Returns the comparison of HTML with email clients in Mailpit's form. The data has no versions, notes and descriptions, and
 * each feature counts once, however often the HTML uses it.
 */
export function toHtmlCheck({ features, clients, featureCount, elementCount }: HtmlCompatibility): unknown {
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
