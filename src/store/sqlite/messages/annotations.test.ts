import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import type { MessageId } from "../../../core/ids.ts";
import { aDirectory } from "../../conformance/directory.ts";
import { aServer, draft } from "../../conformance/drafts.ts";
import { expectProblem } from "../../conformance/setup.ts";
import { databaseFileName } from "../connection/store-directory.ts";
import { checkFolder, FolderRepair } from "../backup/repair.ts";
import { openSqliteStore } from "../open.ts";

/** Returns a directory with three annotated messages, one of whose annotations `damage` changes. */
async function aDamagedDirectory(damage: string): Promise<{ directory: string; ids: readonly MessageId[] }> {
  const directory = await aDirectory();
  const store = await openSqliteStore({ directory, durable: false });
  const { id: server } = await store.createServer(aServer());
  const annotations = [{ kind: "scan", json: '{"requests":[]}' }] as const;
  const messages = Array.from({ length: 3 }, () => ({ ...draft(server), annotations }));
  await store.addMessages(messages);
  await store.close();
  using database = new DatabaseSync(path.join(directory, databaseFileName));
  database.exec(`update annotation set ${damage} where id = (select id from annotation order by id limit 1 offset 1)`);
  return { directory, ids: messages.map(({ id }) => id) };
}

test("reports a damaged annotation when it is read, and returns the others", async () => {
  const { directory, ids } = await aDamagedDirectory("bytes = zeroblob(20)");
  const store = await openSqliteStore({ directory, durable: false });
  const [first, second, third] = ids as [MessageId, MessageId, MessageId];
  await expectProblem(store.annotations.getAnnotation(second, "scan"), "data_damaged");
  for (const id of [first, third]) expect(await store.annotations.getAnnotation(id, "scan")).toBe('{"requests":[]}');
  await store.close();
});

test.each([
  ["bytes = zeroblob(20)", /^the scan of message [0-9a-f-]{36} does not decompress$/],
  ["id = zeroblob(16)", /^the scan of message [0-9a-f-]{36} belongs to no message$/],
  ["bytes = x'7b', size = 0", /^the scan of message [0-9a-f-]{36} is not JSON$/],
])("a check reports an annotation after %s, and a repair removes it", async (damage, finding) => {
  const { directory } = await aDamagedDirectory(damage);
  expect(checkFolder(directory, () => undefined)).toEqual({
    messageCount: 3,
    structure: [expect.stringMatching(finding) as string],
    messages: [],
  });
  {
    using repair = FolderRepair.open(directory);
    repair.tidy();
  }
  expect(checkFolder(directory, () => undefined).structure).toEqual([]);
});
