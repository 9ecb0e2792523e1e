import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { dayOf } from "../../../core/server.ts";
import { aDirectory } from "../../conformance/directory.ts";
import { aServer, draft, epochMs } from "../../conformance/drafts.ts";
import { connectWriter } from "../connection/connection.ts";
import { encodeBatch } from "../messages/message-batch.ts";
import { migrate } from "../schema/schema.ts";
import { Writer } from "./writer.ts";

test("counts the usage of calls that are committed, once, after a commit that was rolled back", async () => {
  const file = path.join(await aDirectory(), "database");
  writeFileSync(file, "");
  using database = connectWriter({ file, durable: false, sizeBytesMax: null });
  migrate(database);
  const writer = new Writer(database);
  const server = aServer();
  let number = 0;
  const run = (...calls: readonly (readonly [name: string, parameters: readonly unknown[]])[]) =>
    writer.run(calls.map(([name, parameters]) => ({ number: (number += 1), name, parameters })));
  run(["changeRecord", ["servers", "createServer", [server]]]);
  const mail = () => ["addMessages", [encodeBatch([draft(server.id, { at: epochMs })])]] as const;
  const torn = { ...encodeBatch([draft(server.id)]), bytes: new ArrayBuffer(0) };
  const answers = run(mail(), ["addMessages", [torn]]);
  expect(answers.map((answer) => "error" in answer)).toEqual([false, true]);
  const [counted] = run(["changeRecord", ["usage", "listTeamUsage", [dayOf(epochMs)]]]);
  expect(counted).toMatchObject({ result: [{ day: dayOf(epochMs), team: null, email: 1, outbound: 0 }] });
});
