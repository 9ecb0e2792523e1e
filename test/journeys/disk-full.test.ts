/** A full disk on a real file system of 24 MB: accepted messages are kept, deletion works, and mail is accepted again. */
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import pg from "pg";
import { EmbeddedPostgres } from "../../src/store/postgres/embedded-postgres.test-aid.ts";
import { ServiceProcess } from "../../src/testing/service-process.ts";
import { SmallDisk, smallDiskObstacle } from "../../src/testing/small-disk.ts";

const key = "a-key-for-full-disks";
const [kept, filled] = ["kept1234", "fill1234"];
const settings = { RESTANTE_API_KEY: key, RESTANTE_SERVERS: `${kept}:Kept,${filled}:Filled`, RESTANTE_LOG: "info" };

const obstacle = smallDiskObstacle();
if (obstacle !== null) process.stderr.write(`\nSKIPPED test/journeys/disk-full: ${obstacle}\n`);

/** Incompressible message of some 270 kB. */
function largeMail(subject: string): string {
  const lines =
    randomBytes(200_000)
      .toString("base64")
      .match(/.{1,76}/g) ?? [];
  return `Subject: ${subject}\r\n\r\n${lines.join("\r\n")}\r\n`;
}

/** Sends one message; returns the reply to its content. */
async function deliver(service: ServiceProcess, server: string, mail: string): Promise<string> {
  await using dialogue = await service.greet();
  await dialogue.play(
    ["EHLO test", "250"],
    ["MAIL FROM:<app@example.com>", "250"],
    [`RCPT TO:<x@${server}.test>`, "250"],
    ["DATA", "354"],
  );
  await dialogue.write(`${mail}.\r\n`);
  return await dialogue.reply();
}

/** Sends messages until one is rejected; returns the subjects of the accepted ones. */
async function fill(service: ServiceProcess): Promise<readonly string[]> {
  const accepted: string[] = [];
  for (;;) {
    const subject = `filler ${accepted.length}`;
    const reply = await deliver(service, filled, largeMail(subject));
    if (!reply.startsWith("250")) {
      expect(reply).toMatch(/^452 4\.3\.1 /);
      return accepted;
    }
    accepted.push(subject);
  }
}

async function expectReadable(service: ServiceProcess, subjects: readonly string[]): Promise<readonly string[]> {
  const response = await service.fetch(`/api/messages?server=${filled}&itemsPerPage=1000`, key);
  const listed = (await response.json()) as { id: string; subject: string }[];
  expect(listed.map(({ subject }) => subject).toSorted()).toEqual(subjects.toSorted());
  for (const { id, subject } of listed.slice(0, 3)) {
    const raw = await service.fetch(`/api/files/email/${id}`, key);
    expect((await raw.text()).includes(`Subject: ${subject}\r\n`)).toBe(true);
    expect((await service.fetch(`/api/messages/${id}`, key)).status).toBe(200);
  }
  return listed.map(({ id }) => id);
}

async function storageFull(service: ServiceProcess): Promise<string | undefined> {
  const metrics = await (await service.fetch("/metrics", key)).text();
  return /^restante_storage_full (\d)$/m.exec(metrics)?.[1];
}

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

describe.skipIf(obstacle !== null)("a full disk", () => {
  async function aSmallDisk(): Promise<{ disk: SmallDisk; folder: string; start: () => Promise<ServiceProcess> }> {
    const folder = mkdtempSync(join(tmpdir(), "restante-full-"));
    const disk = await SmallDisk.mount(folder, 24);
    onTestFinished(async () => {
      await disk.unmount();
      rmSync(folder, { recursive: true });
    });
    const start = async (): Promise<ServiceProcess> =>
      ServiceProcess.start([`--data-dir=${folder}`], { environment: settings, prefix: disk.prefix });
    return { disk, folder, start };
  }

  test("keeps accepted mail, serves reads and deletions, and accepts mail again when the server is emptied", async () => {
    const { start } = await aSmallDisk();
    await using service = await start();
    await service.send(`x@${kept}.test`, "survivor");
    const accepted = await fill(service);
    expect(accepted.length).toBeGreaterThan(10);
    for (let refused = 0; refused < 5; refused += 1) {
      expect(await deliver(service, filled, largeMail("too much"))).toMatch(/^452 /);
    }
    await expect.poll(() => count(service.errors, "disk full")).toBe(1);
    expect(await storageFull(service)).toBe("1");
    expect((await service.fetch("/readyz", key)).status).toBe(503);
    expect((await service.fetch(`/api/messages?server=${filled}`, key, { method: "POST", body: "{}" })).status).toBe(
      507,
    );

    const [first = ""] = await expectReadable(service, accepted);
    expect((await service.fetch(`/api/messages/${first}`, key, { method: "DELETE" })).status).toBe(204);
    expect((await service.fetch(`/api/messages?server=${filled}`, key, { method: "DELETE" })).status).toBe(204);
    await expect
      .poll(async () => deliver(service, kept, "Subject: again\r\n\r\nHello\r\n"), { interval: 250 })
      .toMatch(/^250 /);
    await expect.poll(() => count(service.errors, "disk has space again")).toBe(1);
    expect(await service.subjects(kept, key)).toEqual(["again", "survivor"]);
    expect(await storageFull(service)).toBe("0");
    expect((await fill(service)).length).toBeGreaterThan(10);
  });

  test.each(["SIGTERM", "SIGKILL"] as const)("starts again after %s, reads and deletes", async (signal) => {
    const { start } = await aSmallDisk();
    const before = await start();
    const accepted = await fill(before);
    await expectReadable(before, accepted);
    const ending = await before.stop(signal);
    if (signal === "SIGTERM") expect(ending.code).toBe(0);

    await using service = await start();
    await expectReadable(service, accepted);
    expect((await service.fetch(`/api/messages?server=${filled}`, key, { method: "DELETE" })).status).toBe(204);
    await expect
      .poll(async () => deliver(service, kept, "Subject: again\r\n\r\nHello\r\n"), { interval: 250 })
      .toMatch(/^250 /);
    expect(await service.subjects(kept, key)).toEqual(["again"]);
  });

  test("starts when the disk has no space except the reserve", async () => {
    const { disk, folder, start } = await aSmallDisk();
    const before = await start();
    await before.send(`x@${kept}.test`, "survivor");
    await expect.poll(() => disk.run(`stat -c %s "${folder}"/restante.reserve || true`).trim()).toBe("8388608");
    await before.stop();
    disk.run(`dd if=/dev/zero of="${folder}"/foreign bs=64k 2>/dev/null || true`);

    await using service = await start();
    expect(await service.subjects(kept, key)).toEqual(["survivor"]);
    disk.run(`rm "${folder}"/foreign`);
    await expect
      .poll(async () => deliver(service, kept, "Subject: again\r\n\r\nHello\r\n"), { interval: 250 })
      .toMatch(/^250 /);
  });
});

const databaseObstacle = obstacle ?? (process.getuid?.() === 0 ? null : "PostgreSQL and a mount need root");

describe.skipIf(databaseObstacle !== null)("a full disk of a PostgreSQL database", () => {
  /** Service on a database with a tablespace on a disk of 48 MB, and a connection to that database. */
  async function startOnSmallDisk(): Promise<{ service: ServiceProcess; admin: pg.Client; freeSome: () => void }> {
    const folder = mkdtempSync(join(tmpdir(), "restante-full-"));
    const space = join(folder, "space");
    mkdirSync(space);
    const disk = await SmallDisk.mount(space, 48);
    disk.run(
      `chmod 755 "${folder}" && chmod 700 "${space}" && chown 65534:65534 "${space}" && fallocate -l 1m "${space}"/foreign`,
    );
    const postgres = await EmbeddedPostgres.start({ durable: false, prefix: disk.prefix });
    const setUp = new pg.Client({ connectionString: postgres.url() });
    await setUp.connect();
    await setUp.query(`create tablespace small location '${space}'`);
    await setUp.query("create database full_disk tablespace small");
    await setUp.end();
    const url = postgres.url("full_disk");
    const service = await ServiceProcess.start([`--data-dir=${join(folder, "data")}`], {
      environment: { ...settings, RESTANTE_DATABASE_URL: url, RESTANTE_SECRET_KEY: "a-secret-key-for-full-disks" },
    });
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    onTestFinished(async () => {
      await admin.end();
      await service.stop();
      await postgres.stop();
      await disk.unmount();
      rmSync(folder, { recursive: true });
    });
    return { service, admin, freeSome: () => void disk.run(`rm "${space}"/foreign`) };
  }

  test("is logged once, shown by metric and readiness, and ends when the server is emptied", async () => {
    const { service, admin, freeSome } = await startOnSmallDisk();
    const accepted = await fill(service);
    expect(accepted.length).toBeGreaterThan(10);
    for (let refused = 0; refused < 3; refused += 1) {
      expect(await deliver(service, filled, largeMail("too much"))).toMatch(/^452 /);
    }
    await service.logged(/disk full/);
    expect(await storageFull(service)).toBe("1");
    expect((await service.fetch("/readyz", key)).status).toBe(503);
    const [first = ""] = await expectReadable(service, accepted);

    // PostgreSQL has no reserve: each of the following may need new pages, VACUUM 24 kB for the free space map of a table.
    freeSome();
    expect((await service.fetch(`/api/messages/${first}`, key, { method: "DELETE" })).status).toBe(204);
    expect((await service.fetch(`/api/messages/${first}`, key)).status).toBe(404);
    expect((await service.fetch(`/api/messages?server=${filled}`, key, { method: "DELETE" })).status).toBe(204);
    await expect.poll(async () => (await admin.query("select 1 from purge limit 1")).rowCount).toBe(0);
    await admin.query("vacuum");
    await service.logged(/disk has space again/);
    expect(await storageFull(service)).toBe("0");
    expect(await deliver(service, filled, largeMail("again"))).toMatch(/^250 /);
    expect(await service.subjects(filled, key)).toEqual(["again"]);
    expect(count(service.errors, "disk full")).toBe(1);
    expect(count(service.errors, "disk has space again")).toBe(1);
  });
});
