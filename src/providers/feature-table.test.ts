/** The table of features in the guide; `vitest -u` writes it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { EmailFeature } from "./email.ts";
import { providers } from "./registry.ts";
import type { ProviderSamples } from "./samples.test-aid.ts";

const page = join(import.meta.dirname, "..", "..", "docs", "guide", "providers", "README.md");

const features: Readonly<Record<EmailFeature, string>> = {
  batch: "several mails in one request",
  attachments: "attachments, to the byte",
  "inline images": "inline images",
  "custom headers": "custom header fields",
  tags: "tags or categories",
  metadata: "metadata, custom arguments or variables",
  "stored templates": "templates that are stored here, rendered",
  "templates of the provider": "templates that are not stored here",
  schedule: "scheduled mail",
  cancel: "cancelling scheduled mail",
  sandbox: "sandbox or test mode",
  idempotency: "idempotency keys",
  "read back": "reading a mail back by its id",
};

/** Returns whether applications send SMS through the provider. */
async function sendsSms(name: string): Promise<boolean> {
  const module = (await import(`./${name}/samples.test-aid.ts`)) as { readonly samples: ProviderSamples };
  return module.samples.sms !== undefined;
}

/** Returns the table: a row for each feature, a column for each mail provider, and a list of the providers of SMS. */
async function featureTable(): Promise<string> {
  const senders = providers.flatMap(({ label, email }) => (email === null ? [] : [{ label, email }]));
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const rows = Object.entries(features).map(([feature, meaning]) =>
    line([meaning, ...senders.map(({ email }) => (email.features.includes(feature as EmailFeature) ? "yes" : "–"))]),
  );
  const smsLabels = await Promise.all(
    providers.map(async ({ name, label }) => ((await sendsSms(name)) ? [label] : [])),
  );
  const head = [line(["mail", ...senders.map(({ label }) => label)]), `|---|${"---|".repeat(senders.length)}`];
  return `${[...head, ...rows].join("\n")}\n\nSMS: ${smsLabels.flat().join(", ")}.`;
}

test("docs/guide/providers/README.md shows the features of every provider", async () => {
  const text = readFileSync(page, "utf8");
  const table = await featureTable();
  const expected = text.replace(/(?<=<!-- features -->\n)[^]*?(?=<!-- \/features -->)/, () => `\n${table}\n\n`);
  expect(text).toContain("<!-- features -->");
  await expect(expected).toMatchFileSnapshot(page);
});
