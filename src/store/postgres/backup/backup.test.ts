import { readFile } from "node:fs/promises";
import path from "node:path";
import { onTestFinished, test, expect } from "vitest";
import { aClaim, aDelivery, anAttempt, anOutcome, aTarget, listDeliveries } from "../../conformance/callback-drafts.ts";
import { aDirectory } from "../../conformance/directory.ts";
import { aKey, aServer, draft, page } from "../../conformance/drafts.ts";
import { find, idsOf } from "../../conformance/setup.ts";
import type { Store } from "../../store.ts";
import { migrateDatabase, openPostgresStore } from "../open.ts";
import { dropDatabase, testDatabaseUrl } from "../postgres.test-aid.ts";
import { restoreScript } from "./restore-script.test-aid.ts";

test("backup writes a script that restores the same store into an empty database", async () => {
  const [from, to] = [await testDatabaseUrl(), await testDatabaseUrl()];
  const stores: Store[] = [await openPostgresStore({ url: from })];
  onTestFinished(async () => {
    for (const store of stores) await store.close();
    for (const url of [from, to]) await dropDatabase(url);
  });
  const [before] = stores;
  if (before === undefined) return;
  const server = await before.createServer(aServer({ name: "tab\tline\nback\\slash \\N é ✉ a\0b", password: "\\." }));
  await before.addKey(aKey({ server: server.id }));
  const raw = Buffer.from(Float64Array.from({ length: 200_000 }, Math.random).buffer);
  const messages = [
    draft(server.id, { subject: "a\tb\\", body: "line\nline", to: ["t@x.test"] }),
    draft(server.id, { raw }),
  ];
  for (const message of messages) await before.addMessages([message]);
  const target = aTarget(server.id, { settingsJson: '{"url":"a\\tb"}', sealedSecrets: new Uint8Array([0, 92, 9]) });
  await before.callbacks.addTarget(target, { countMax: 1, isOnly: true });
  const delivery = aDelivery(server.id, { target: target.id, content: Buffer.from("a\\\0") });
  await before.callbacks.addDeliveries([delivery]);
  await before.callbacks.queue.claim(aClaim([target.id]));
  await before.callbacks.queue.record([anOutcome(delivery.id, { attempt: anAttempt({ error: '"a\tb\n{},\\' }) })]);
  await before.phrases.setPhrases(["it's", "ok"]);
  const file = path.join(await aDirectory(), "copy.sql");
  await before.backup(file);

  await migrateDatabase({ url: to });
  await restoreScript(await readFile(file, "utf8"), to);
  const after = await openPostgresStore({ url: to });
  stores.push(after);
  const { uidValidity, ...same } = (await after.getServer(server.id)) ?? server;
  expect([same]).toEqual((await before.listServers()).map(({ uidValidity: _former, ...rest }) => rest));
  expect(uidValidity).toBeGreaterThan(server.uidValidity);
  expect(await after.getServerPassword(server.id)).toBe("\\.");
  expect(await after.listKeys()).toEqual(await before.listKeys());
  expect(await after.phrases.getPhrases()).toEqual(["it's", "ok"]);
  expect(await after.callbacks.listTargets(server.id)).toEqual(await before.callbacks.listTargets(server.id));
  expect(await after.callbacks.listTargetServers()).toEqual([server.id]);
  expect(await listDeliveries(after, server.id)).toEqual(await listDeliveries(before, server.id));
  expect(await listDeliveries(after, server.id)).toHaveLength(1);
  expect(await after.listChanges(server.id, 0, 10)).toEqual(await before.listChanges(server.id, 0, 10));
  expect(idsOf(await after.listMessages(server.id, page()))).toEqual(messages.map(({ id }) => id).toReversed());
  expect(await find(after, server.id, { subject: "a\tb\\", body: "e\nl" })).toEqual([messages[0]?.id]);
  for (const { id } of messages) {
    expect(Buffer.compare((await after.getRaw(id)) ?? Buffer.alloc(0), (await before.getRaw(id)) ?? raw)).toBe(0);
    expect(await after.addMessages([messages.find((one) => one.id === id) ?? draft(server.id)])).toMatchObject([
      { outcome: "stored" },
    ]);
  }
  expect((await after.getServer(server.id))?.messages).toBe(2);
});
