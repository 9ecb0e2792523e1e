import { criteriaExpression } from "../../core/search/build-expression.ts";
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { describe, expect, onTestFinished, test } from "vitest";
import { aDirectory } from "../conformance/directory.ts";
import { aServer, page } from "../conformance/drafts.ts";
import { idsOf, textOf } from "../conformance/setup.ts";
import { anyDelivery } from "../conformance/callback-drafts.ts";
import { parseMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import { openSqliteStore } from "./open.ts";

/** Opens the store of a directory in a separate process, prints "open", and runs `body`. */
function spawnService(directory: string, body: string): ChildProcessByStdio<null, Readable, Readable> {
  const url = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);
  const source = `
    import { openSqliteStore } from ${url("./open.ts")};
    import { draft } from ${url("../conformance/drafts.ts")};
    import { aClaim, aDelivery, anOutcome } from ${url("../conformance/callback-drafts.ts")};
    const store = await openSqliteStore({ directory: ${JSON.stringify(directory)}, durable: true });
    console.log("open");
    ${body}
  `;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", source], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  return child;
}

async function firstLine(child: ChildProcessByStdio<null, Readable, Readable>): Promise<string> {
  const errors: string[] = [];
  child.stderr.on("data", (chunk) => errors.push(String(chunk)));
  for await (const line of createInterface(child.stdout)) return line;
  throw new Error(errors.join(""));
}

describe("a second instance", () => {
  test("rejects a second instance in the same process with the directory's name while the first continues", async () => {
    const directory = await aDirectory();
    const store = await openSqliteStore({ directory, durable: false });
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await expect(openSqliteStore({ directory, durable: false })).rejects.toThrow(directory);
    }
    await store.check();
    await store.close();
    await (await openSqliteStore({ directory, durable: false })).close();
  });

  test("is rejected while another process runs, and starts once that is killed", async () => {
    const directory = await aDirectory();
    const child = spawnService(directory, "setInterval(() => {}, 1000);");
    expect(await firstLine(child)).toBe("open");
    await expect(openSqliteStore({ directory, durable: false })).rejects.toThrow(
      `Another instance is using the directory ${directory}`,
    );
    child.kill("SIGKILL");
    await once(child, "exit");
    const store = await openSqliteStore({ directory, durable: false });
    await store.check();
    await store.close();
  });
});

test("keeps every acknowledged message complete, and no partial one, when killed during writes", async () => {
  const directory = await aDirectory();
  const setUp = await openSqliteStore({ directory, durable: true });
  const { id: server } = await setUp.createServer(aServer());
  await setUp.close();
  const expected = new Map<MessageId, boolean>();

  for (let round = 0; round < 5; round += 1) {
    await ingestAndKill({ directory, server, round, expected });
    const store = await openSqliteStore({ directory, durable: true });
    const messageCount = (await store.getServer(server))?.messages ?? 0;
    for (const [id, isStored] of expected) {
      const raw = await store.getRaw(id);
      expect(raw !== undefined).toBe(isStored);
      if (isStored) expect(textOf(raw)).toBe(`raw ${textOf(await store.getDetail(id))} ${"x".repeat(9000)}`);
    }
    const listed: MessageId[] = [];
    for (let number = 0; listed.length < messageCount; number += 1) {
      listed.push(...idsOf(await store.listMessages(server, page({ page: number, itemsPerPage: 1000 }))));
    }
    // Messages committed but not acknowledged may exist, and are then complete as well.
    for (const id of listed) expect(textOf(await store.getRaw(id))).toContain(textOf(await store.getDetail(id)));
    const found = await store.searchMessages(
      server,
      criteriaExpression({ sentTo: "all@x.test", match: "ALL" }),
      page({ itemsPerPage: 1000 }),
    );
    expect(idsOf(found)).toEqual(listed.slice(0, 1000));
    const changes = (await store.listChanges(server, 0, 100_000)) ?? [];
    expect(changes.map(({ sequence }) => sequence)).toEqual(changes.map((_change, index) => index + 1));
    const deletedCount = changes.filter(({ kind }) => kind === "deleted").length;
    expect(changes.length - 2 * deletedCount).toBe(messageCount);
    await store.close();
  }
  expect(expected.size).toBeGreaterThan(100);
});

test("keeps deliveries with their messages, cursors and outcomes when killed", async () => {
  const directory = await aDirectory();
  const setUp = await openSqliteStore({ directory, durable: true });
  const { id: server } = await setUp.createServer(aServer());
  const target = { id: "target", server, kind: "webhook", shape: "", settingsJson: "{}", createdAt: 0 } as const;
  await setUp.callbacks.addTarget({ ...target, sealedSecrets: null }, { countMax: 1, isOnly: true });
  await setUp.close();
  const recorded = new Set<string>();
  for (let round = 1; round <= 3; round += 1) {
    await deliverAndKill({ directory, server, lineCount: 100 * round, recorded });
    const store = await openSqliteStore({ directory, durable: true });
    const [lagging] = await store.callbacks.listLaggingServers(1);
    const cursor = lagging?.cursor ?? (await store.listChanges(server, 0, 100_000))?.length ?? 0;
    const deliveries = await store.callbacks.listDeliveries(server, anyDelivery, { offset: 0, limit: 100_000 });
    const changes = deliveries.filter(({ type }) => type === "change").map(({ id }) => id);
    expect(new Set(changes)).toEqual(new Set(Array.from({ length: cursor }, (_, at) => `change ${at}`)));
    const ids = deliveries.flatMap(({ message }) => message ?? []);
    expect(ids).toHaveLength((await store.getServer(server))?.messages ?? 0);
    for (const id of ids) expect(await store.getRaw(id)).toBeDefined();
    for (const { id, status, attempts, attemptCount } of deliveries) {
      expect(status === "Delivered" || !recorded.has(id)).toBe(true);
      expect(attempts).toHaveLength(status === "Delivered" ? 1 : 0);
      expect(attemptCount).toBeGreaterThanOrEqual(attempts.length);
    }
    await store.close();
  }
  expect(recorded.size).toBeGreaterThan(50);
});

interface DeliveryRound {
  readonly directory: string;
  readonly server: ServerId;
  readonly lineCount: number;
  /** Receives the deliveries whose outcomes the process acknowledged. */
  readonly recorded: Set<string>;
}

async function deliverAndKill({ directory, server, lineCount, recorded }: DeliveryRound): Promise<void> {
  const child = spawnService(
    directory,
    `const { callbacks } = store;
    const server = ${JSON.stringify(server)};
    let number = Date.now();
    const receive = async () => {
      for (;;) {
        const message = draft(server, { at: (number += 1) });
        await store.addMessages([message], { deliveries: [aDelivery(server, { message: message.id, queue: "sms" })] });
      }
    };
    const process = async () => {
      for (;;) {
        await new Promise((resolve) => void setImmediate(resolve));
        const [lagging] = await callbacks.listLaggingServers(1);
        if (lagging === undefined) continue;
        const { cursor: from } = lagging;
        const delivery = aDelivery(server, { id: "change " + from, target: "target", type: "change" });
        await callbacks.processChanges({ server, from, to: from + 1, deliveries: [delivery] });
      }
    };
    const deliver = async (queue, lease) => {
      for (let round = 0; ; round += 1) {
        const claimed = await callbacks.queue.claim(aClaim([queue], { lease: lease + round, leaseEndsAt: 1e15 }));
        await callbacks.queue.record(claimed.map(({ id }) => anOutcome(id, { lease: lease + round })));
        for (const { id } of claimed) console.log("recorded " + id);
      }
    };
    await Promise.all([receive(), receive(), process(), deliver("sms", "a"), deliver("target", "b")]);`,
  );
  let count = 0;
  for await (const line of createInterface(child.stdout)) {
    if (line.startsWith("recorded ")) recorded.add(line.slice("recorded ".length));
    count += 1;
    if (count === lineCount) child.kill("SIGKILL");
  }
}

interface Round {
  readonly directory: string;
  readonly server: ServerId;
  readonly round: number;
  /** Receives what the process acknowledged: true for stored, false for deleted. */
  readonly expected: Map<MessageId, boolean>;
}

async function ingestAndKill({ directory, server, round, expected }: Round): Promise<void> {
  const child = spawnService(
    directory,
    `let n = 0;
    const one = async () => {
      for (;;) {
        n += 1;
        const at = ${Date.UTC(2026, 0, 1)} + ${round} * 1_000_000 + n;
        const note = "message " + at;
        const fields = { at, to: ["all@x.test"], subject: note, body: note.repeat(50), detail: note };
        const message = draft(${JSON.stringify(server)}, { ...fields, raw: "raw " + note + " " + "x".repeat(9000) });
        await store.addMessages([message]);
        console.log("stored " + message.id);
        if (n % 5 > 0) continue;
        // Until the system has the line: lines that wait in this process are lost when it is killed.
        await new Promise((resolve) => void process.stdout.write("deleting " + message.id + "\\n", resolve));
        await store.deleteMessage(message.id);
        console.log("deleted " + message.id);
      }
    };
    await Promise.all(Array.from({ length: 8 }, one));`,
  );
  let count = 0;
  for await (const line of createInterface(child.stdout)) {
    const [verb, rest] = line.split(" ");
    const id = parseMessageId(rest ?? "");
    // During the deletion the message may or may not exist.
    if (id !== undefined && verb === "deleting") expected.delete(id);
    else if (id !== undefined) expected.set(id, verb === "stored");
    count += 1;
    if (count === 60 + 35 * round) child.kill("SIGKILL");
  }
}
