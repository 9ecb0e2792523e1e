import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ServerId } from "../core/ids.ts";
import { findKey } from "../operations/find-key.ts";
import { createSecretBox } from "../operations/secret-box.ts";
import { addKey } from "../operations/create-key.ts";
import { addServer } from "../operations/create-server.ts";
import { openSqliteStore } from "../store/sqlite/open.ts";
import type { Store } from "../store/store.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { ensureAccountKey, ensureServers, keyFileIn, readKeyFile } from "./account.ts";
import { configFrom, SettingsError, type Config } from "./settings/config.ts";
import type { Choices } from "./settings/table.ts";

let dataDir: string;
let store: Store;
let clock: FakeClock;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "restante-account-"));
  store = await openSqliteStore({ directory: dataDir, durable: false });
  clock = new FakeClock();
});
afterEach(async () => {
  await store.close();
  rmSync(dataDir, { recursive: true });
});

const secrets = createSecretBox(Buffer.from("a key for nothing but tests"));
const config = (choices: Partial<Choices> = {}): Config => configFrom({ dataDir, ...choices });
const opens = async (secret: string): Promise<boolean> =>
  (await findKey({ store, clock, secrets }, secret)) !== undefined;

describe("the account key", () => {
  test("is generated on the first start, shown, and kept in a file for its owner only", async () => {
    const key = await ensureAccountKey({ store, clock, secrets }, config());
    if (key.kind !== "generated") throw new Error(key.kind);
    expect(key.secret).toMatch(/^[\w-]{32}$/);
    expect(readFileSync(key.file, "utf8")).toBe(`${key.secret}\n`);
    expect(statSync(key.file).mode & 0o777).toBe(0o600);
    expect(await opens(key.secret)).toBe(true);
    expect(JSON.stringify(await store.listKeys())).not.toContain(key.secret);
  });

  test("is not shown again by later starts, which point to the file instead", async () => {
    await ensureAccountKey({ store, clock, secrets }, config());
    expect(await ensureAccountKey({ store, clock, secrets }, config())).toEqual({
      kind: "file",
      file: keyFileIn(dataDir),
    });
    expect(await store.listKeys()).toHaveLength(1);
  });

  test("in a file that opens nothing any more is not pointed to", async () => {
    await addKey({ store, clock, secrets }, { secret: "made-by-a-person", name: "", server: null });
    writeFileSync(keyFileIn(dataDir), "revoked-long-ago\n");
    expect(await ensureAccountKey({ store, clock, secrets }, config())).toEqual({ kind: "own" });
  });

  test("is generated again when no account key is left", async () => {
    await ensureAccountKey({ store, clock, secrets }, config());
    for (const key of await store.listKeys()) await store.removeKey(key.id);
    const again = await ensureAccountKey({ store, clock, secrets }, config());
    expect(again.kind).toBe("generated");
    expect(await opens(readKeyFile(dataDir) ?? "")).toBe(true);
  });

  test("of the operator's own choice opens the account, and no file is written", async () => {
    expect(await ensureAccountKey({ store, clock, secrets }, config({ apiKey: "operators-key" }))).toEqual({
      kind: "own",
    });
    expect(await opens("operators-key")).toBe(true);
    expect(readKeyFile(dataDir)).toBeUndefined();
  });

  test("of the operator's own choice ends when another takes its place; others stay", async () => {
    await addKey({ store, clock, secrets }, { secret: "made-by-a-person", name: "CI", server: null });
    await ensureAccountKey({ store, clock, secrets }, config({ apiKey: "operators-key" }));
    await ensureAccountKey({ store, clock, secrets }, config({ apiKey: "operators-key" }));
    await ensureAccountKey({ store, clock, secrets }, config({ apiKey: "operators-new-key" }));
    const known = await Promise.all(["operators-key", "operators-new-key", "made-by-a-person"].map(opens));
    expect(known).toEqual([false, true, true]);
  });

  test.each(["0.0.0.0", "::", "10.1.2.3"])("must be known before others can reach %s", async (bind) => {
    await expect(ensureAccountKey({ store, clock, secrets }, config({ bind }))).rejects.toThrow(SettingsError);
    expect(await store.listKeys()).toEqual([]);
    expect(await ensureAccountKey({ store, clock, secrets }, config({ bind, apiKey: "operators-key" }))).toEqual({
      kind: "own",
    });
  });

  test("that an earlier start has shown is enough to be reached by others", async () => {
    await ensureAccountKey({ store, clock, secrets }, config());
    expect((await ensureAccountKey({ store, clock, secrets }, config({ bind: "0.0.0.0" }))).kind).toBe("file");
  });

  test("restricted to a server does not count", async () => {
    const [server] = await ensureServers({ store, clock, secrets }, config());
    await addKey({ store, clock, secrets }, { secret: "restricted-key", name: "", server: server.id });
    expect((await ensureAccountKey({ store, clock, secrets }, config())).kind).toBe("generated");
  });
});

describe("the servers", () => {
  const wanted = [
    { id: "bbbb2222" as ServerId, name: "Second" },
    { id: "aaaa1111" as ServerId, name: "First" },
  ];

  test("are one of a random id unless the operator names some", async () => {
    const servers = await ensureServers({ store, clock, secrets }, config());
    expect(servers.map((server) => server.name)).toEqual(["Default"]);
    expect(await ensureServers({ store, clock, secrets }, config())).toEqual(servers);
  });

  test("are shown oldest first when the operator names none", async () => {
    for (const { id, name } of wanted) {
      await addServer({ store, clock, secrets }, { id, name, expiresAt: null });
      clock.advance(1);
    }
    const servers = await ensureServers({ store, clock, secrets }, config());
    expect(servers.map((server) => server.id)).toEqual(["bbbb2222", "aaaa1111"]);
  });

  test("that the operator names exist afterwards, in their order, and no other is made", async () => {
    const servers = await ensureServers({ store, clock, secrets }, config({ servers: wanted }));
    expect(servers.map(({ id, name }) => ({ id, name }))).toEqual(wanted);
    expect(await store.listServers()).toHaveLength(2);
  });

  test("that exist already are left as they are", async () => {
    await ensureServers({ store, clock, secrets }, config({ servers: wanted }));
    await store.updateServer(wanted[0]?.id as ServerId, { name: "Renamed" });
    const [first] = await ensureServers({ store, clock, secrets }, config({ servers: wanted }));
    expect(first.name).toBe("Renamed");
  });

  test("must include the one that catches all", async () => {
    const catchAll = "cccc3333" as ServerId;
    const refused = ensureServers({ store, clock, secrets }, config({ servers: wanted, catchAll }));
    await expect(refused).rejects.toThrow("RESTANTE_CATCH_ALL: there is no server cccc3333");
    const included = [...wanted, { id: catchAll, name: "Rest" }];
    expect(await ensureServers({ store, clock, secrets }, config({ servers: included, catchAll }))).toHaveLength(3);
  });
});
