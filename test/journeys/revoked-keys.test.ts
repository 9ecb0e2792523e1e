/** Keys revoked on one of two nodes that share a PostgreSQL database. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { testDatabaseUrl } from "../../src/store/postgres/postgres.test-aid.ts";
import { LocalService } from "../../src/testing/local-service.ts";

const key = "a-key-for-journeys";
const server = "revk1234";

async function startNodes(): Promise<readonly [LocalService, LocalService]> {
  const folder = mkdtempSync(join(tmpdir(), "restante-revoked-"));
  const environment = {
    RESTANTE_API_KEY: key,
    RESTANTE_SECRET_KEY: "a-secret-key-for-journeys",
    RESTANTE_SERVERS: `${server}:Revoked`,
    RESTANTE_LIMIT_WAIT_MS: "600000",
    RESTANTE_DATABASE_URL: await testDatabaseUrl(),
  };
  const start = (name: string): Promise<LocalService> =>
    LocalService.start([`--data-dir=${join(folder, name)}`], environment);
  const nodes = await Promise.all([start("a"), start("b")]);
  onTestFinished(async () => {
    for (const node of nodes) await node.stop();
    rmSync(folder, { recursive: true });
  });
  return nodes;
}

async function waitingSearches(node: LocalService): Promise<number> {
  const text = await (await node.fetch("/metrics", "")).text();
  return Number(/^restante_waiting_searches (\d+)$/m.exec(text)?.[1] ?? Number.NaN);
}

test("a key revoked on one node ends its waiting search on the other with 401, and no other search", async () => {
  const [a, b] = await startNodes();
  const created = await a.fetch("/api/keys", key, {
    method: "POST",
    body: JSON.stringify({ name: "Revoked", server }),
  });
  expect(created.status).toBe(200);
  const own = (await created.json()) as { readonly id: string; readonly key: string };
  const search = async (secret: string, subject: string): Promise<Response> =>
    b.fetch(`/api/messages/search?server=${server}&timeout=600000`, secret, {
      method: "POST",
      body: JSON.stringify({ subject }),
    });
  const [revoked, kept] = [search(own.key, "never"), search(key, "arrives")];
  await expect.poll(() => waitingSearches(b)).toBe(2);

  expect((await a.fetch(`/api/keys/${own.id}`, key, { method: "DELETE" })).status).toBe(204);
  // Without the revocation the search would answer 200 with an empty list after 60 seconds.
  expect((await revoked).status).toBe(401);
  expect(await waitingSearches(b)).toBe(1);
  await a.send(`x@${server}.restante.test`, "arrives");
  expect(await (await kept).json()).toMatchObject([{ subject: "arrives" }]);
});
