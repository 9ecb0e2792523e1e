/** Conformance suite for the event webhooks of every provider and for every inbound shape. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sampleEventMail, type EventSamples, type InboundSamples } from "./callback-samples.test-aid.ts";
import { eventWebhookChecks } from "./event-checks.test-aid.ts";
import { inboundChecks } from "./inbound-checks.test-aid.ts";
import { inboundShapes } from "../inbound-shapes.ts";
import { providers } from "../registry.ts";

/** Ids of the sample mail in the APIs of the providers whose id is not the UUID. */
const mailIds: Readonly<Record<string, string>> = {
  brevo: "<2126999735416163829342063205411@smtp-relay.mailin.fr>",
  mailgun: "<20261120104205.0199aabbccdd7eee8fff001122334455@shop.example>",
  mandrill: "0199aabbccdd7eee8fff001122334455",
  sendgrid: "AZmqu8zdfu6P_wARIjNEVQ",
  sparkpost: "2126999735416163829342063205411",
  ses: "0100019a9aabbccd-0199aabb-ccdd-7eee-8fff-001122334455-000000",
};

async function samplesOf<Samples>(path: string, name: string): Promise<Samples> {
  const module = (await import(path)) as Readonly<Record<string, Samples | undefined>>;
  const samples = module[name];
  if (samples === undefined) throw new Error(`${path} has no ${name}`);
  return samples;
}

const eventSubjects = await Promise.all(
  providers.flatMap(({ name, loadEvents }) =>
    loadEvents === undefined
      ? []
      : [
          (async () => ({
            name,
            webhooks: await loadEvents(),
            samples: await samplesOf<EventSamples>(`../${name}/callbacks.test-aid.ts`, "eventSamples"),
            providerId: mailIds[name] ?? sampleEventMail().providerId,
          }))(),
        ],
  ),
);

const inboundSubjects = await Promise.all(
  Object.entries(inboundShapes).map(async ([name, load]) => {
    const own = `../${name}/callbacks.test-aid.ts`;
    const path = existsSync(join(import.meta.dirname, own)) ? own : `../inbound/${name}.test-aid.ts`;
    return { name, shape: await load(), samples: await samplesOf<InboundSamples>(path, "inboundSamples") };
  }),
);

describe.each(eventSubjects)("events of $name", (subject) => {
  test.each(eventWebhookChecks)("$title", async ({ run }) => run(subject));

  test("have a table of fields for every type, and for no other", () => {
    const { webhooks, samples } = subject;
    expect(Object.keys(samples.fields).toSorted()).toEqual([...webhooks.types].toSorted());
  });
});

const inboundVariants = inboundSubjects.flatMap(({ samples, ...subject }) =>
  samples.variants.map((variant) => ({ ...subject, samples, variant, title: variant.title })),
);

describe.each(inboundVariants)("inbound mail as $name, $title", (subject) => {
  test.each(inboundChecks)("$title", async ({ run }) => run(subject));
});

test("every inbound shape has the name by which it is listed", () => {
  for (const { name, shape } of inboundSubjects) expect(shape.name).toBe(name);
});
