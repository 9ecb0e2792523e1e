/** Export and import on the command line: files, pipes, a running service. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { join } from "node:path";
import { readFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { mainFile, processEnvironment, ServiceProcess } from "../../src/testing/service-process.ts";
import { runLocally } from "../journeys/local-command.ts";
import { dropDatabase, testDatabaseUrl } from "../../src/store/postgres/postgres.test-aid.ts";
import { aFolder } from "./stores.ts";

const key = "a-key-for-moving";
const environment = { RESTANTE_API_KEY: key, RESTANTE_SERVERS: "move1234:One,move5678:Two" };

async function piped(argv: readonly string[], input: Uint8Array, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [mainFile, ...argv], { env: { ...processEnvironment, ...env } });
  child.stdin.end(input);
  const [out, error] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { out, error, code: child.exitCode };
}

test("exports the folder of a running service and imports it through a pipe into PostgreSQL, where a node returns the same", async () => {
  const folder = await aFolder();
  const dataDir = join(folder, "data");
  const url = await testDatabaseUrl();
  await using first = await ServiceProcess.start([`--data-dir=${dataDir}`], { environment });
  await first.send("ann@move1234.restante.test", "One mail");
  await first.send("ann@move5678.restante.test", "Another");
  const body = JSON.stringify({ server: "move1234", from: "+447700900001", to: "+447700900002", text: "code 482913" });
  expect((await first.fetch("/api/sms", key, { method: "POST", body })).ok).toBe(true);
  const device = JSON.stringify({ name: "Phone", sharedSecret: "JBSWY3DPEHPK3PXP" });
  expect((await first.fetch("/api/devices", key, { method: "POST", body: device })).ok).toBe(true);

  const { out: stream, error } = await piped(["export", "-", "--data-dir", dataDir], Buffer.alloc(0));
  expect(error).toMatch(/^Exported 3 messages of 2 servers: 0\.0 MB in /);
  const refused = await piped(["import", "-", "--data-dir", dataDir], Buffer.from(stream));
  expect(refused).toMatchObject({ code: 1, out: "" });
  expect(refused.error).toContain(`Another instance is using the directory ${dataDir}`);

  const taken = await piped(["import", "-"], Buffer.from(stream), {
    RESTANTE_DATABASE_URL: url,
    RESTANTE_DATA_DIR: folder,
  });
  expect(taken.code).toBe(0);
  expect(taken.error).toMatch(
    /^4 keys, server passwords, devices and phone numbers were encrypted or hashed with another secret key/,
  );
  expect(taken.out).toMatch(/^Imported 3 messages of 2 servers: /);
  // With another key, servers get new passwords; with the original one, they have the original passwords again.
  const other = { RESTANTE_SECRET_KEY: "another-secret-key", RESTANTE_DATABASE_URL: await testDatabaseUrl() };
  const changed = await piped(["import", "-"], Buffer.from(stream), { ...other, RESTANTE_DATA_DIR: folder });
  expect(changed.code).toBe(0);
  expect(changed.out).toContain(
    "2 servers got a new SMTP password, because the one in the export was encrypted with another secret key: move1234, move5678. ",
  );
  expect(changed.error).toMatch(/^2 keys, server passwords, devices and phone numbers were encrypted/);
  const secretKey = `base64:${(await readFile(join(dataDir, "secret-key"), "utf8")).trim()}`;
  const repaired = await piped(["import", "-", "--quiet"], Buffer.from(stream), {
    ...other,
    RESTANTE_SECRET_KEY: secretKey,
    RESTANTE_DATA_DIR: folder,
  });
  expect(repaired).toMatchObject({ code: 0, error: "" });
  await dropDatabase(other.RESTANTE_DATABASE_URL);
  const node = { RESTANTE_API_KEY: key, RESTANTE_SECRET_KEY: secretKey, RESTANTE_DATABASE_URL: url };
  {
    await using second = await ServiceProcess.start([`--data-dir=${join(folder, "node")}`], { environment: node });
    for (const path of [
      "/api/messages?server=move1234",
      "/api/messages?server=move5678",
      "/api/servers",
      "/api/keys",
    ]) {
      expect(withoutUse(await (await second.fetch(path, key)).json())).toEqual(
        withoutUse(await (await first.fetch(path, key)).json()),
      );
    }
    const passwordOf = async (service: ServiceProcess): Promise<unknown> =>
      await (await service.fetch("/api/servers/move1234/password", key)).json();
    expect(await passwordOf(second)).toEqual(await passwordOf(first));
    const [{ id } = { id: "" }] = (await (await second.fetch("/api/devices", key)).json()) as { id: string }[];
    expect(await (await second.fetch(`/api/devices/${id}/otp`, key)).json()).toMatchObject({
      code: expect.stringMatching(/^\d{6}$/) as string,
    });
  }
  await dropDatabase(url);
});

test("exits with 2 for usage errors and with 1 for failures, with one sentence each", async () => {
  const folder = await aFolder();
  const calls: readonly (readonly [readonly string[], number, RegExp])[] = [
    [["export"], 2, /usage: restante export DEST/],
    [["export", "x", "--format", "tar"], 2, /--format: "tar" is not one of ndjson, mbox, maildir/],
    [["export", "-", "--format", "maildir"], 2, /maildir is read and written by its name; - is not supported/],
    [["export", "x", "--server", "no"], 2, /--server: "no" is not a server id/],
    [["import", "x.mbox"], 2, /mbox contains mail without a server: set the target with --server/],
    [["import", "x.mbox", "--server", "abcd1234", "--server", "abcd5678"], 2, /mbox contains mail without a server/],
    [["export", join(folder, "x")], 1, /There is no database at /],
    [["import", join(folder, "absent")], 1, /absent: no such file or folder$/m],
  ];
  for (const [argv, code, expected] of calls) {
    const ending = await runLocally([...argv, "--data-dir", join(folder, "data")]);
    expect(ending).toMatchObject({ code, out: "" });
    expect(ending.error).toMatch(expected);
    expect(ending.error.trimEnd().split("\n")).toHaveLength(1);
  }
});

test("derives the format from the name, accepts several servers, and prints nothing with --quiet", async () => {
  const folder = await aFolder();
  const dataDir = join(folder, "data");
  const at = ["--data-dir", dataDir];
  const service = await ServiceProcess.start([`--data-dir=${dataDir}`], { environment });
  await service.send("ann@move1234.restante.test", "One mail");
  await service.stop();
  const both = ["--server", "move1234", "--server", "move5678"];
  const [lines, box, letters] = ["a.ndjson", "a.mbox", "letters/"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  expect(await runLocally(["export", lines, "--quiet", ...both, ...at])).toMatchObject({ code: 0, error: "" });
  expect((await readFile(lines, "utf8")).match(/"kind":"server"/g)).toHaveLength(2);
  expect((await runLocally(["export", box, ...both, ...at])).error).toContain("contain the mail of one server");
  for (const path of [box, letters]) {
    expect((await runLocally(["export", path, "--server", "move1234", ...at])).out).toMatch(
      /^Exported 1 message of 1 server: /,
    );
    const told = (await runLocally(["import", path, "--server", "move5678", ...at])).out;
    expect(told).toMatch(/^Imported 1 message of 1 server: /);
  }
  expect(await readFile(box, "utf8")).toMatch(/^From app@example\.com .*\n/);
  await writeFile(lines, (await readFile(lines, "utf8")).replace('"users":[]', '"users":["x"]'));
  const { code, error } = await runLocally(["import", lines, ...at]);
  expect([code, error]).toEqual([1, "restante: line 2: server move1234 exists with a different value of users\n"]);
});

/** Returns the list without last-used times of keys, because reading it uses a key. */
function withoutUse(list: unknown): unknown {
  return (list as readonly object[]).map((item) => ({ ...item, lastUsed: null }));
}
