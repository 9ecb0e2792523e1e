import { expect, test } from "vitest";
import type { RestanteClient } from "../client/client.ts";
import type { DeliverabilityReport } from "../client/generated/types.ts";
import { judgeMail } from "./judge-mail.ts";

const absent = async (): Promise<never> => Promise.reject(new Error("not asked for"));

function clientWith(dns: DeliverabilityReport["dns"]): RestanteClient {
  const failed = { result: "Fail", description: "The address is not among the senders" };
  const spamAssassin = { result: "Pass", engine: "restante", rules: [] };
  const deliverability = async () => ({ spf: failed, dkim: [], dmarc: failed, dns, spamAssassin });
  return { analysis: { lint: absent, budget: absent, deliverability }, messages: {} } as unknown as RestanteClient;
}

test.each([
  { dns: "servers", verdict: "bad", summary: "SPF fail, DMARC fail" },
  { dns: "fixtures", verdict: "bad", summary: "SPF fail, DMARC fail" },
  { dns: "system", verdict: "unknown", summary: "not judged: neither a zone nor RESTANTE_DNS; SPF fail, DMARC fail" },
  { dns: "off", verdict: "unknown", summary: "not judged: the service has no DNS (RESTANTE_DNS)" },
] as const)("judges the sender of a mail as $verdict with results by $dns", async ({ dns, verdict, summary }) => {
  const checks = await judgeMail(clientWith(dns), "1", {});
  expect(checks.find(({ name }) => name === "Authentication")).toMatchObject({ verdict, summary });
});
