/** Tables of what is emulated, on the page of each provider in the guide, and its rows of endpoints. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Provider, ProviderEndpoint } from "./provider.ts";
import { providers } from "./registry.ts";
import { queryActionNames } from "./ses/protocols.ts";
import { topicActions } from "./sns/topic-actions.ts";

const guide = join(import.meta.dirname, "..", "..", "docs", "guide");
/** Pages of providers that have another one than that of their name. */
const pages: Readonly<Record<string, readonly string[]>> = {
  mailtrap: ["providers/mailtrap.md", "from-mailtrap.md"],
  twilio: ["providers/twilio-verify.md", "sms.md"],
  vonage: ["providers/vonage-verify.md", "sms.md"],
};

/** Names of actions, of providers whose pages have these and not paths. */
const actions: Readonly<Record<string, readonly string[]>> = { ses: queryActionNames, sns: Object.keys(topicActions) };

function textOf({ name }: Pick<Provider, "name">): string {
  const own = pages[name] ?? [`providers/${name}.md`];
  return own.map((page) => readFileSync(join(guide, page), "utf8")).join("\n");
}

/** Returns the last literal segment of a path, without the ending of a format: `send` of `/emails:send`. */
function lastNameIn({ path }: Pick<ProviderEndpoint, "path">): string {
  const segments = path.split("/").filter((one) => one !== "" && !one.startsWith(":"));
  return (segments.at(-1) ?? "").replace(/\.(?:json|txt|html|eml|raw)$/, "").replace(/^.*:/, "");
}

/** Returns the paths in the first column of the table, such as `GET /emails/:id`, without those that are abbreviated. */
function pathsIn(page: string): readonly string[] {
  const [, section = ""] = /^## What is emulated$(.*?)^## /ms.exec(page) ?? [];
  const cells = section.split("\n").flatMap((line) => /^\| ([^|]+) \|/.exec(line)?.[1] ?? []);
  const spans = cells.flatMap((cell) => Array.from(cell.matchAll(/`([^`]+)`/g), ([, span = ""]) => span));
  return spans.flatMap((span) => /^(?:[A-Z]+ )?(\/[^\s?…]*)(?:\?\S*)?$/.exec(span)?.[1] ?? []);
}

/** Returns whether a path of the guide is that of an endpoint, or the beginning or end of it. */
function isPartOf(shown: string, path: string): boolean {
  const [own, whole] = [shown, path].map((one) => one.split("/").filter((segment) => segment !== ""));
  const matchesAt = (start: number): boolean =>
    own?.every((segment, at) => {
      const actual = whole?.[start + at] ?? "";
      return segment === actual || (/^[:{]/.test(segment) && actual !== "");
    }) === true;
  return (whole ?? []).some((_, start) => matchesAt(start));
}

test.each(providers.map((provider) => [provider.name, provider] as const))(
  "the page of %s names every endpoint, and no other path",
  (_name, provider) => {
    const page = textOf(provider);
    const names = actions[provider.name] ?? provider.endpoints.map(lastNameIn);
    const missing = names.filter((name) => !page.toLowerCase().includes(name.toLowerCase()));
    const unknown = pathsIn(page).filter((shown) => !provider.endpoints.some(({ path }) => isPartOf(shown, path)));
    expect({ missing: [...new Set(missing)], unknown }).toEqual({ missing: [], unknown: [] });
  },
);
