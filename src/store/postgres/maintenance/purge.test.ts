import { expect, onTestFinished, test } from "vitest";
import { aServer, draft } from "../../conformance/drafts.ts";
import { openDatabase } from "../connection/database.ts";
import { openPostgresStore } from "../open.ts";
import { migratedDatabaseUrl } from "../postgres.test-aid.ts";
import { Purge } from "./purge.ts";
import { systemClock } from "../../../core/clock.ts";

test("purges the other epochs when one cannot be deleted, and rejects for that one", async () => {
  const url = await migratedDatabaseUrl();
  const store = await openPostgresStore({ url });
  const database = openDatabase(url, { clock: systemClock });
  onTestFinished(async () => {
    await database.close();
    await store.close();
  });
  const servers = [await store.createServer(aServer()), await store.createServer(aServer())];
  for (const { id } of servers) await store.addMessages([draft(id), draft(id)]);
  await database.query(
    `create function poison() returns trigger language plpgsql as $$
     begin
       if old.epoch = (select min(epoch) from purge) then raise exception 'damaged page'; end if;
       return old;
     end $$`,
  );
  await database.query("create trigger poison before delete on message for each row execute function poison()");
  await database.query(
    "insert into purge (server_id, epoch, message_count) select server_id, epoch, 2 from server order by epoch",
  );
  const purge = new Purge(database);
  const step = async (): Promise<string | boolean> => purge.step().catch((error: unknown) => String(error));
  expect(await step()).toContain("damaged page");
  const outcomes = [];
  for (let round = 0; round < 8; round += 1) outcomes.push(await step());
  expect(outcomes.slice(0, 2)).toEqual([true, true]);
  expect(outcomes.at(-1)).toContain("damaged page");
  expect(await database.query("select count(*)::int as count from purge")).toEqual([{ count: 1 }]);
});
