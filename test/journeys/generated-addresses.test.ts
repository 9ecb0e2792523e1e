/** Addresses that are generated for tests, which the forms of applications accept and no mail server can deliver to. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import MailosaurClient from "mailosaur";
import validator from "validator";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { mailDomainDefault } from "../../src/core/mail-addresses.ts";
import { openTestService } from "../../src/fixtures/test-service.ts";
import { LocalService } from "../../src/testing/local-service.ts";
import { startRestante } from "../../src/testing/start-restante.ts";
import { runLocally } from "./local-command.ts";

const apiKey = "a-key-for-journeys";
const server = "jrny1234";

/** Top-level domains that email-validator of Python rejects, and those without a delegation, which commons-validator rejects. */
const specialUse = /\.(?:arpa|example|internal|invalid|local|localhost|onion|test|\d+)$/;
/** The intersection of the other validators: atoms of letters, digits and inner hyphens, labels that are host names. */
const plain = /^(?=.{1,64}@)[a-z0-9]+(?:[.-][a-z0-9]+)*@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,24}$/i;

/** Returns the addresses that a validator of forms rejects. */
function rejected(addresses: readonly string[]): readonly string[] {
  return addresses.filter(
    (one) => !validator.isEmail(one) || !z.email().safeParse(one).success || !plain.test(one) || specialUse.test(one),
  );
}

test("validators accept the addresses of every server under the default domain", () => {
  expect(rejected([`ada@${server}.restante.test`, `ada@${server}.localhost`, "ada@127.0.0.1"])).toHaveLength(3);
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z0-9]{8}$/), (id) => rejected([`ada@${id}.${mailDomainDefault}`]).length === 0),
  );
});

test("validators accept the addresses that libraries, fixtures and the service generate", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "restante-addresses-"));
  const environment = { RESTANTE_API_KEY: apiKey, RESTANTE_SERVERS: `${server}:Journey` };
  await using service = await LocalService.start([`--data-dir=${dataDir}`], environment);
  const { out } = await runLocally(["env", "--json", `--data-dir=${dataDir}`], { environment });
  for (const [name, value] of Object.entries(JSON.parse(out) as Record<string, string>)) vi.stubEnv(name, value);

  const sample = await fetch(`${service.url}/api/messages?server=${server}`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: "{}",
  });
  const { to } = (await sample.json()) as { readonly to: readonly { readonly email: string }[] };
  const fixtures = await openTestService({ url: service.url, apiKey });
  await using own = await startRestante({ shared: false });
  const generated = [
    ...to.map(({ email }) => email),
    new MailosaurClient(apiKey).servers.generateEmailAddress(server),
    fixtures.newInbox({ name: "Größe & Co." }).address,
    own.emailAddress(),
    own.emailAddress("ada"),
  ];
  await fixtures.close();
  vi.unstubAllEnvs();
  rmSync(dataDir, { recursive: true, force: true });
  expect(generated.filter((one) => !one.endsWith(`.${mailDomainDefault}`))).toEqual([]);
  expect(rejected(generated)).toEqual([]);
});
