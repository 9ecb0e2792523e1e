/** A backup that is sufficient for a new data directory, and a check that finds and repairs damage. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { openDatabase, type Database } from "../../src/store/postgres/connection/database.ts";
import { testDatabaseUrl } from "../../src/store/postgres/postgres.test-aid.ts";
import { LocalService } from "../../src/testing/local-service.ts";
import type { ServiceAccess } from "../../src/testing/service-access.ts";
import { runCommand, type Ending } from "../../src/testing/service-process.ts";
import { runLocally } from "./local-command.ts";

const server = "back1234";
const settings = { RESTANTE_SERVERS: `${server}:Backed up`, RESTANTE_LOG: "error" };
/** Allows for several process starts on a busy machine. */

let folder: string;
let dataDir: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "restante-backup-"));
  dataDir = join(folder, "data");
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const start = async (directory: string): Promise<LocalService> =>
  LocalService.start([`--data-dir=${directory}`], settings);

const tool = async (...argv: string[]): Promise<Ending> => runLocally(argv, { environment: settings });

const keyIn = (directory: string): string => readFileSync(join(directory, "api-key"), "utf8").trim();

async function getJson<Shape>(service: ServiceAccess, directory: string, path: string): Promise<Shape> {
  const response = await service.fetch(path, keyIn(directory));
  expect(response.status).toBe(200);
  return (await response.json()) as Shape;
}

describe("restante restore", () => {
  /** Starts a service with a message and a device and backs it up while it runs; returns the device's codes. */
  async function backUp(): Promise<{ readonly file: string; readonly device: string; readonly ca: string }> {
    await using service = await start(dataDir);
    await service.send(`anyone@${server}.restante.test`, "Worth keeping");
    const created = await service.fetch("/api/devices", keyIn(dataDir), {
      method: "POST",
      body: JSON.stringify({ name: "Phone", sharedSecret: "JBSWY3DPEHPK3PXP" }),
    });
    expect(created.status).toBe(200);
    const { id: device } = (await created.json()) as { id: string };
    const file = join(folder, "copy.backup");
    const backup = await tool("backup", file, `--data-dir=${dataDir}`);
    expect(backup).toMatchObject({ code: 0, error: "" });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    return { file, device, ca: readFileSync(join(dataDir, "tls", "ca.pem"), "utf8") };
  }

  test("creates a folder with the original mail, keys, encrypted secrets and CA", async () => {
    const { file, device, ca } = await backUp();
    const target = join(folder, "restored");
    const argv = ["restore", file, `--data-dir=${target}`];
    const { code, out, error } = await runCommand(argv, { environment: settings });
    expect([code, error]).toEqual([0, ""]);
    for (const name of ["api-key", "secret-key", "tls/ca-key.pem", "tls/ca.pem", "tls/server.pem"]) {
      expect(out).toContain(name);
      expect(statSync(join(target, name)).mode & 0o777).toBe(0o600);
    }
    expect(statSync(join(target, "restante.db")).mode & 0o777).toBe(0o600);
    expect(keyIn(target)).toBe(keyIn(dataDir));
    expect(readFileSync(join(target, "tls", "ca.pem"), "utf8")).toBe(ca);
    {
      using database = new DatabaseSync(join(target, "restante.db"), { readOnly: true });
      expect(database.prepare("select count(*) as count from sqlite_schema where name = 'backup_file'").get()).toEqual({
        count: 0,
      });
      using original = new DatabaseSync(file, { readOnly: true });
      const uidValidity = "select coalesce(uid_validity, 0) as value from server";
      const former = Number(original.prepare(uidValidity).get()?.["value"]);
      expect(database.prepare(uidValidity).get()?.["value"]).toBeGreaterThan(former);
    }
    await using service = await start(target);
    expect(await service.subjects(server, keyIn(target))).toEqual(["Worth keeping"]);
    const { code: password } = await getJson<{ code: string }>(service, target, `/api/devices/${device}/otp`);
    expect(password).toMatch(/^\d{6}$/);
  });

  test("refuses a folder that is not empty, and a file that is damaged or not a backup", async () => {
    const { file } = await backUp();
    const occupied = await tool("restore", file, `--data-dir=${dataDir}`);
    expect(occupied).toMatchObject({ code: 1, error: expect.stringContaining("is not empty") as unknown });

    const target = join(folder, "restored");
    const foreign = join(folder, "foreign.db");
    {
      using database = new DatabaseSync(foreign);
      database.exec("create table theirs (x)");
    }
    const torn = join(folder, "torn.backup");
    cpSync(file, torn);
    const bytes = readFileSync(torn).fill(0x55, 8192, 40_960);
    writeFileSync(torn, bytes);
    for (const wrong of [foreign, torn, join(folder, "nowhere")]) {
      expect(await tool("restore", wrong, `--data-dir=${target}`)).toMatchObject({ code: 1 });
      expect(existsSync(target) ? readdirSync(target) : []).toEqual([]);
    }
  });

  test("accepts a plain copy of a database, and reports that the secret key is missing", async () => {
    const first = await start(dataDir);
    await first.send(`anyone@${server}.restante.test`, "Old");
    await first.stop();
    const plain = join(folder, "plain.db");
    cpSync(join(dataDir, "restante.db"), plain);
    const target = join(folder, "restored");
    mkdirSync(target);
    const { code, error } = await tool("restore", plain, `--data-dir=${target}`);
    expect(code).toBe(0);
    expect(error).toContain("no secret-key");
    expect(readdirSync(target).toSorted()).toEqual(["audit-commands.jsonl", "restante.db"]);
  });
});

describe("restante check", () => {
  async function seed(): Promise<void> {
    const service = await start(dataDir);
    for (const subject of ["one", "two", "three"]) await service.send(`anyone@${server}.restante.test`, subject);
    await service.stop();
  }

  const check = async (...flags: string[]): Promise<Ending> => tool("check", `--data-dir=${dataDir}`, ...flags);

  function damage(sql: string): void {
    using database = new DatabaseSync(join(dataDir, "restante.db"));
    database.exec(sql);
  }

  test("finds no damage in an intact folder while its service runs, and fails without a folder", async () => {
    await using service = await start(dataDir);
    await service.send(`anyone@${server}.restante.test`, "one");
    const flags = ["check", `--data-dir=${dataDir}`];
    const found = { code: 0, out: "1 messages checked, 0 problems found\n" };
    expect(await runCommand(flags, { environment: settings })).toMatchObject(found);
    expect(await check("--repair")).toMatchObject({ code: 0 });
    expect(await tool("check", `--data-dir=${join(folder, "nowhere")}`)).toMatchObject({ code: 2 });
  });

  test("rebuilds messages from their raw mail, and moves the others aside", async () => {
    await seed();
    damage(`update message set summary = cast('{"id":"?"}' as blob) where sequence = 1;
      update content set detail = zeroblob(length(detail)) where number = 2;
      update server set received_count = 7;
      delete from address where id = (select id from message where sequence = 1);`);
    const found = await check();
    expect(found.code).toBe(1);
    expect(found.out).toContain("its summary has changed");
    expect(found.out).toContain("its counters are 7 received and 0 sent messages, but it has 3 and 0");

    const repaired = await check("--repair");
    expect(repaired.error).toBe("");
    expect(repaired.code).toBe(0);
    expect(repaired.out).toContain("rebuilt from its detail and raw mail");
    expect(repaired.out).toContain("cannot be repaired");
    expect(await check()).toMatchObject({ code: 0 });

    await using service = await start(dataDir);
    expect((await service.subjects(server, keyIn(dataDir))).toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
      "one",
      "three",
    ]);
    const search = await service.fetch(`/api/messages/search?server=${server}`, keyIn(dataDir), {
      method: "POST",
      body: JSON.stringify({ sentTo: `anyone@${server}.restante.test`, subject: "one", match: "ALL" }),
    });
    const [message] = (await search.json()) as { id: string }[];
    expect(await getJson(service, dataDir, `/api/messages/${message?.id}`)).toMatchObject({ subject: "one" });
  });

  test("rebuilds a large mail from its raw bytes only", async () => {
    const service = await start(dataDir);
    await using dialogue = await service.greet();
    await dialogue.play(
      ["EHLO test", "250"],
      ["MAIL FROM:<app@example.com>", "250"],
      [`RCPT TO:<anyone@${server}.restante.test>`, "250"],
      ["DATA", "354"],
      [`Subject: large\r\n\r\n${"Hello there\r\n".repeat(30_000)}.\r\n`, "250"],
      ["QUIT", "221"],
    );
    await service.stop();
    damage("update content set detail = zeroblob(length(detail))");
    expect((await check()).out).toContain("its detail has changed");
    expect((await check("--repair")).out).toContain("rebuilt from its raw mail");
    await using again = await start(dataDir);
    const [summary] = await getJson<{ id: string }[]>(again, dataDir, `/api/messages?server=${server}`);
    const message = await getJson<{ text: { body: string } }>(again, dataDir, `/api/messages/${summary?.id}`);
    expect(message.text.body.startsWith("Hello there")).toBe(true);
  });
});

describe("restante check with PostgreSQL", () => {
  async function seed(): Promise<{
    readonly database: Database;
    readonly check: (...flags: string[]) => Promise<Ending>;
  }> {
    const environment = {
      ...settings,
      RESTANTE_DATABASE_URL: await testDatabaseUrl(),
      RESTANTE_API_KEY: "a-key-for-journeys",
      RESTANTE_SECRET_KEY: "a-secret-key-for-journeys",
    };
    await using service = await LocalService.start([`--data-dir=${dataDir}`], environment);
    for (const subject of ["one", "two"]) await service.send(`anyone@${server}.restante.test`, subject);
    await using dialogue = await service.greet();
    await dialogue.play(
      ["EHLO test", "250"],
      ["MAIL FROM:<app@example.com>", "250"],
      [`RCPT TO:<anyone@${server}.restante.test>`, "250"],
      ["DATA", "354"],
      [
        `Subject: large\r\n\r\n${randomBytes(600_000).toString("base64").replaceAll(/.{76}/g, "$&\r\n")}\r\n.\r\n`,
        "250",
      ],
    );
    const database = openDatabase(environment.RESTANTE_DATABASE_URL);
    onTestFinished(async () => await database.close());
    return { database, check: async (...flags) => runLocally(["check", ...flags], { environment }) };
  }

  test("finds no damage in an intact database, and refuses to repair one", async () => {
    const { check } = await seed();
    expect(await check()).toMatchObject({ code: 0, out: "3 messages checked, 0 problems found\n" });
    expect(await check("--repair")).toMatchObject({ code: 2, error: expect.stringContaining("--repair") as unknown });
  });

  test("names messages with changed bytes and missing chunks", async () => {
    const { database, check } = await seed();
    await database.query("delete from chunk");
    await database.query(
      "update message set detail = set_byte(detail, 6, 255 - get_byte(detail, 6)) where sequence = 1",
    );
    const { code, out } = await check();
    expect(code).toBe(1);
    expect(out).toMatch(/^message [0-9a-f-]{36}: checksum mismatch in its detail$/m);
    expect(out).toMatch(/^message [0-9a-f-]{36}: a chunk of its raw is missing$/m);
    expect(out).toMatch(/^3 messages checked, [2-4] problems found$/m);
  });

  test("fails when the database cannot be reached", async () => {
    const environment = { ...settings, RESTANTE_DATABASE_URL: "postgres://x@127.0.0.1:1/x" };
    expect(await runLocally(["check"], { environment })).toMatchObject({ code: 2 });
  });
});
