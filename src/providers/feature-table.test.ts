/** The tables of features in the guide; `vitest -u` writes it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mailEventTypes, type CallbackSetting, type EventWebhooks, type MailEventType } from "./callbacks.ts";
import type { EmailFeature } from "./email.ts";
import { inboundShapes } from "./inbound-shapes.ts";
import { providers } from "./registry.ts";
import type { ProviderSamples } from "./conformance/samples.test-aid.ts";

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
  const rows = Object.entries(features).map(([feature, meaning]) =>
    line([meaning, ...senders.map(({ email }) => (email.features.includes(feature as EmailFeature) ? "yes" : "–"))]),
  );
  const smsLabels = await Promise.all(
    providers.map(async ({ name, label }) => ((await sendsSms(name)) ? [label] : [])),
  );
  const head = [line(["mail", ...senders.map(({ label }) => label)]), `|---|${"---|".repeat(senders.length)}`];
  return `${[...head, ...rows].join("\n")}\n\nSMS: ${smsLabels.flat().join(", ")}.`;
}

const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");

const meanings: Readonly<Record<MailEventType, string>> = {
  processed: "`processed`: accepted by the provider",
  dropped: "`dropped`: not tried, because the recipient is suppressed",
  deferred: "`deferred`: a temporary failure",
  delivered: "`delivered`: accepted by the host of the recipient",
  bounced: "`bounced`: a permanent failure",
  opened: "`opened`",
  clicked: "`clicked`",
  complained: "`complained`: reported as spam",
  unsubscribed: "`unsubscribed`",
};

/** Returns the tables of events: a column for each provider that reports events, and the verification of each. */
async function eventTables(): Promise<string> {
  const reporters = await Promise.all(
    providers.flatMap(({ label, loadEvents }) =>
      loadEvents === undefined ? [] : [loadEvents().then((webhooks) => ({ label, ...webhooks }))],
    ),
  );
  const cell = ({ types, automatic }: EventWebhooks, type: MailEventType): string => {
    if (automatic.includes(type)) return "by default";
    return types.includes(type) ? "yes" : "–";
  };
  const rows = mailEventTypes.map((type) => [meanings[type], ...reporters.map((one) => cell(one, type))]);
  const verification = reporters.map((one) => [one.label, one.verification, settingsText(one.settings)]);
  return [
    table(["event", ...reporters.map(({ label }) => label)], rows),
    table(["provider", "verification", "settings"], verification),
  ].join("\n\n");
}

/** Returns the table of the formats of inbound mail. */
async function inboundTable(): Promise<string> {
  const shapes = await Promise.all(Object.values(inboundShapes).map(async (load) => load()));
  return table(
    ["`shape`", "format", "verification", "settings"],
    shapes.map((one) => [`\`${one.name}\``, one.label, one.verification, settingsText(one.settings)]),
  );
}

function settingsText(settings: readonly CallbackSetting[]): string {
  const shown = settings.map(({ name, description, isSecret }) =>
    `\`${name}\`${isSecret ? " (secret)" : ""}: ${description}`.replaceAll("|", "\\|"),
  );
  return shown.length === 0 ? "–" : shown.join("; ");
}

test("docs/guide/providers/README.md shows the features of every provider", async () => {
  const sections = { features: await featureTable(), events: await eventTables(), inbound: await inboundTable() };
  let expected = readFileSync(page, "utf8");
  for (const [name, text] of Object.entries(sections)) {
    expect(expected).toContain(`<!-- ${name} -->`);
    const section = new RegExp(`(?<=<!-- ${name} -->\\n)[^]*?(?=<!-- /${name} -->)`);
    expected = expected.replace(section, () => `\n${text}\n\n`);
  }
  await expect(expected).toMatchFileSnapshot(page);
});
