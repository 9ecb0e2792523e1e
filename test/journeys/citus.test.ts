/** Several nodes on Citus, with nodes, workers and the coordinator killed under load, for `npm run compat:citus`. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { emptyDatabaseUrl } from "../../src/store/postgres/reused-database.test-aid.ts";
import { citusServers, isCitus, queryAt } from "../../src/store/postgres/schema/citus.test-aid.ts";
import { startHttpListener } from "../../src/testing/http-listener.ts";
import { ServiceProcess } from "../../src/testing/service-process.ts";
import { expectWhole, sendMails, storedMarks } from "./mail-senders.ts";

const key = "a-key-for-journeys";
const server = "ctus1234";

/** Kills one server process, so that PostgreSQL closes all connections of the machine and recovers. */
async function killMachine(url: string): Promise<void> {
  const killing = queryAt(
    url,
    `do $$ begin execute format('copy (select 1) to program %L', 'kill -9 ' || pg_backend_pid()); end $$`,
  );
  await expect(killing).rejects.toThrow(/terminat|reset|closed/);
}

/** Ends the connections of nodes, without a crash. */
async function endConnections(url: string): Promise<void> {
  await queryAt(
    url,
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
}

describe.skipIf(!isCitus)("Citus (skipped except in npm run compat:citus)", () => {
  test("loses no mail and no event while a node, the coordinator and a worker are killed", async () => {
    const folder = mkdtempSync(join(tmpdir(), "restante-citus-"));
    await using application = await startHttpListener(() => ({ status: 204 }));
    const url = await emptyDatabaseUrl();
    const environment = {
      RESTANTE_API_KEY: key,
      RESTANTE_SECRET_KEY: "a-secret-key-for-journeys",
      RESTANTE_SERVERS: `${server}:Citus`,
      RESTANTE_DATABASE_URL: url,
      RESTANTE_LOG: "error",
    };
    const start = async (name: string): Promise<ServiceProcess> =>
      ServiceProcess.start([`--data-dir=${join(folder, name)}`], { environment });
    const [first, second, doomed] = await Promise.all(["a", "b", "c"].map(start));
    if (first === undefined || second === undefined || doomed === undefined) throw new Error("a node did not start");
    await using one = first;
    await using other = second;
    const body = JSON.stringify({ url: application.url, events: ["message.received"] });
    expect((await one.fetch(`/api/servers/${server}/webhooks`, key, { method: "POST", body })).status).toBe(200);

    let isOver = false;
    let isDoomedOver = false;
    void doomed.ended.then(() => (isDoomedOver = true));
    let count = 0;
    const accepted = async (further: number): Promise<void> => {
      const goal = count + further;
      await expect.poll(() => count).toBeGreaterThan(goal);
    };
    const senders = [one, one, other, other, doomed].map(async (node, index) =>
      sendMails({ node, server }, `s${String(index)}`, () => {
        count += 1;
        return !isOver && (node !== doomed || !isDoomedOver);
      }),
    );
    await accepted(60);
    await doomed.stop("SIGKILL");
    await accepted(60);
    const [coordinator = "", ...workers] = await citusServers();
    await endConnections(url);
    await accepted(60);
    for (const machine of [...workers, coordinator]) {
      await killMachine(machine);
      for (const node of [one, other])
        await expect.poll(async () => (await node.fetch("/readyz", "")).status).toBe(200);
      await accepted(60);
    }
    isOver = true;
    const sent = await Promise.all(senders);

    const stored = await storedMarks({ node: other, server }, key);
    expectWhole(stored, sent);
    expect(sent.flatMap((all) => all.accepted).length).toBeGreaterThan(150);
    const events = (): ReadonlySet<string> =>
      new Set(
        application.requests.map((request) => (JSON.parse(request.body) as { data: { subject: string } }).data.subject),
      );
    await expect.poll(() => stored.filter((mark) => !events().has(mark))).toEqual([]);
    rmSync(folder, { recursive: true });
  });
});
