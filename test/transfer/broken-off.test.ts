/** A repeated export or import completes as if the first one had not been killed. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeMessageId, newServerId, type ServerId } from "../../src/core/ids.ts";
import { defaultLimits } from "../../src/core/limits.ts";
import { exportToFile } from "../../src/transfer/export-store.ts";
import { recordEmail } from "../../src/operations/services/reading/email-record.ts";
import { readEmail } from "../../src/operations/services/reading/read-email.ts";
import { openSqliteSource } from "../../src/store/sqlite/backup/source.ts";
import type { Store } from "../../src/store/store.ts";
import { mainFile, processEnvironment, runCommand } from "../../src/testing/service-process.ts";
import { epochMs } from "./content.ts";
import { aFolder, anSqliteStore, aPostgresStore, comparable, exported, requestOf } from "./stores.ts";

async function fillWithMail(store: Store, count: number): Promise<ServerId> {
  const server = newServerId();
  await store.createServer({ id: server, name: "Mail", password: "p", createdAt: epochMs, expiresAt: null });
  const messages = Array.from({ length: count }, (_, at) => {
    const id = encodeMessageId({ server, direction: "Received", receivedAt: epochMs + at, random: at });
    const body = `${at} ${"lorem ipsum ".repeat(1500)}`;
    const raw = Buffer.from(`From: a@x.test\r\nTo: b@x.test\r\nSubject: ${at}\r\n\r\n${body}\r\n`);
    return recordEmail(
      id,
      { raw, envelope: { mailFrom: "a@x.test", rcptTo: [] }, session: null },
      readEmail(raw, defaultLimits),
    );
  });
  for (let at = 0; at < count; at += 200) await store.addMessages(messages.slice(at, at + 200));
  return server;
}

/** Runs a command and kills it as soon as `isDue`; returns whether it was killed before it finished. */
async function killWhen(
  argv: readonly string[],
  isDue: () => Promise<boolean>,
  environment: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  const child = spawn(process.execPath, [mainFile, ...argv], {
    env: { ...processEnvironment, ...environment },
    stdio: "ignore",
  });
  const ended = once(child, "exit");
  while (child.exitCode === null && child.signalCode === null && !(await isDue())) await pause(2);
  child.kill("SIGKILL");
  await ended;
  return child.signalCode === "SIGKILL";
}

/** Kills a command at each of the given states; after a run that finished before, the next one starts from nothing. */
async function killAtEach<State>(
  states: readonly State[],
  kill: (state: State) => Promise<boolean>,
  restart: () => Promise<void>,
): Promise<void> {
  for (const state of states) while (!(await kill(state))) await restart();
}

const sizeOf = async (path: string): Promise<number> => (await stat(path).catch(() => ({ size: 0 }))).size;

describe("with 400 mails,", () => {
  let first: Awaited<ReturnType<typeof anSqliteStore>>;
  let server: ServerId;
  let whole: Buffer;
  beforeAll(async () => {
    first = await anSqliteStore();
    server = await fillWithMail(first.store, 400);
    whole = await exported(first.store);
  });
  afterAll(async () => {
    await first[Symbol.asyncDispose]();
  });

  test("an export that is killed repeatedly writes the same as a single run", async () => {
    const file = join(await aFolder(), "out.ndjson");
    const argv = ["export", file, "--data-dir", first.directory];
    await killAtEach(
      [1, 1_000_000, 3_000_000, 5_000_000],
      async (bytes) => {
        const isKilled = await killWhen(argv, async () => (await sizeOf(file)) >= bytes);
        // It may have written the last line before the signal came.
        return isKilled && (await sizeOf(file)) < whole.length;
      },
      () => rm(file),
    );
    const { code, out } = await runCommand(argv);
    expect([code, out]).toEqual([0, expect.stringMatching(/^Exported [\d,]+ messages of 1 server: /)]);
    const lines = (await readFile(file, "utf8")).split("\n");
    const expected = whole.toString("utf8").split("\n");
    expect(lines.length).toBe(expected.length);
    expect(lines.slice(1, -2)).toEqual(expected.slice(1, -2));
    expect((await runCommand(argv)).out).toContain("already contains a complete export");
  });

  test("an import that is killed repeatedly stores the same as a single run", async () => {
    const folder = await aFolder();
    const [file, dataDir] = [join(folder, "out.ndjson"), join(folder, "data")];
    await writeFile(file, whole);
    const argv = ["import", file, "--data-dir", dataDir, "--quiet"];
    const storedBytes = async (): Promise<number> =>
      (await sizeOf(join(dataDir, "restante.db"))) + (await sizeOf(join(dataDir, "restante.db-wal")));
    await killAtEach(
      [1, 300_000, 600_000, 900_000],
      (bytes) => killWhen(argv, async () => (await storedBytes()) >= bytes),
      () => rm(dataDir, { recursive: true }),
    );
    const { code, out } = await runCommand(argv);
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^Imported [\d,]+ messages of 1 server: .*\n[\d,]+ messages? already existed/),
    ]);
    const source = openSqliteSource(dataDir);
    expect(comparable(await exported(source))).toEqual(comparable(whole));
    await source.close();
  });

  test("an import into PostgreSQL that is killed repeatedly stores the same as a single run", async () => {
    await using second = await aPostgresStore();
    const file = join(await aFolder(), "out.ndjson");
    await writeFile(file, whole);
    const environment = { RESTANTE_DATABASE_URL: second.url };
    const argv = ["import", file, "--quiet"];
    const storedCount = async (): Promise<number> => (await second.store.getServer(server))?.messages ?? 0;
    await killAtEach(
      [1, 100, 200],
      (count) => killWhen(argv, async () => (await storedCount()) >= count, environment),
      () => second.store.deleteServer(server).then(() => undefined),
    );
    const { code, out } = await runCommand(argv, { environment });
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^Imported [\d,]+ messages? of 1 server: .*\n[\d,]+ messages? already existed/),
    ]);
    expect(comparable(await exported(second.store))).toEqual(comparable(whole));
  });
});

describe("an existing file", () => {
  test.each([0, 1, 40, 139, 400, 5000, 90_000, 150_000])(
    "is resumed when it was truncated at byte %d",
    async (bytes) => {
      await using first = await anSqliteStore();
      await fillWithMail(first.store, 9);
      const file = join(await aFolder(), "out.ndjson");
      await exportToFile(requestOf(first.store), file);
      const whole = await readFile(file);
      expect(whole.length).toBeGreaterThan(150_000);
      await truncate(file, bytes);
      const { result, foundFrom } = await exportToFile(requestOf(first.store), file);
      expect([result.messages + result.existing, foundFrom]).toEqual([9, null]);
      expect((await readFile(file)).equals(whole)).toBe(true);
    },
  );

  test("gets later messages, and keeps messages that were deleted since", async () => {
    await using first = await anSqliteStore();
    const server = await fillWithMail(first.store, 9);
    const file = join(await aFolder(), "out.ndjson");
    await exportToFile(requestOf(first.store), file);
    await truncate(file, 100_000);
    const id = encodeMessageId({ server, direction: "Received", receivedAt: epochMs + 5000, random: 0 });
    const raw = Buffer.from("Subject: late\r\n\r\n");
    const late = recordEmail(
      id,
      { raw, envelope: { mailFrom: null, rcptTo: [] }, session: null },
      readEmail(raw, defaultLimits),
    );
    await first.store.addMessages([late]);
    expect((await exportToFile(requestOf(first.store), file)).result).toMatchObject({ messages: 7, existing: 3 });
    expect(await readFile(file, "utf8")).toContain(id);
  });

  test.each([
    "{}",
    "hello\nworld\n",
    '{"kind":"header"}\n',
    '{"kind":"header","format":"restante-export","version":2,"writtenBy":"","writtenAt":"","servers":null}\n',
  ])("is unchanged when it is not an export: %j", async (text) => {
    await using first = await anSqliteStore();
    const file = join(await aFolder(), "out.ndjson");
    await writeFile(file, text);
    await expect(exportToFile(requestOf(first.store), file)).rejects.toThrow("an export never overwrites");
    expect(await readFile(file, "utf8")).toBe(text);
  });

  test("is unchanged when it is an export of other servers", async () => {
    await using first = await anSqliteStore();
    const server = await fillWithMail(first.store, 2);
    const file = join(await aFolder(), "out.ndjson");
    await exportToFile(requestOf(first.store, [server]), file);
    const before = await readFile(file);
    await expect(exportToFile(requestOf(first.store), file)).rejects.toThrow(`is an export of ${server}, not of all`);
    expect((await readFile(file)).equals(before)).toBe(true);
  });
});
