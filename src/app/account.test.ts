import { createRevocations } from "../core/api-key.ts";
import type { AccountContext } from "../operations/context.ts";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ServerId } from "../core/ids.ts";
import { findKey } from "../operations/services/security/authenticate.ts";
import { createSecretBox } from "../operations/services/security/secret-box.ts";
import { addKey } from "../operations/keys/keys.ts";
import { addServer } from "../operations/servers/servers.ts";
import { directoryWithDatabase } from "../store/sqlite/new-database.test-aid.ts";
import { openSqliteStore } from "../store/sqlite/open.ts";
import { sameThread } from "../store/sqlite/threads/same-thread.test-aid.ts";
import type { Store } from "../store/store.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { ensureAccountKey, ensureServers, keyFileIn, readKeyFile } from "./account.ts";
import { type Config, configFrom } from "./settings/config.ts";
import type { Choices } from "./settings/table.ts";

let dataDir: string;
let store: Store;
let clock: FakeClock;

beforeEach(async () => {
  dataDir = directoryWithDatabase("restante-account-");
  store = await openSqliteStore({ directory: dataDir, durable: false, threads: sameThread });
  clock = new FakeClock();
});
afterEach(async () => {
  await store.close();
  rmSync(dataDir, { recursive: true });
});

const secrets = createSecretBox(Buffer.from("a key for nothing but tests"));
/** Returns the dependencies over the store of the test. */
const context = (): AccountContext => ({ store, clock, secrets, revocations: createRevocations() });
const config = (choices: Partial<Choices> = {}): Config => configFrom({ dataDir, ...choices });
const opens = async (secret: string): Promise<boolean> => (await findKey(context(), secret)) !== undefined;

describe("account key", () => {
  test("is generated on the first start, returned, and written to a file with mode 0600", async () => {
    const key = await ensureAccountKey(context(), config());
    if (key.kind !== "generated") throw new Error(key.kind);
    expect(key.secret).toMatch(/^[A-Za-z0-9]{32}$/);
    expect(readFileSync(key.file, "utf8")).toBe(`${key.secret}\n`);
    expect(statSync(key.file).mode & 0o777).toBe(0o600);
    expect(await opens(key.secret)).toBe(true);
    expect(JSON.stringify(await store.listKeys())).not.toContain(key.secret);
  });

  test("is not returned by later starts, which name the file instead", async () => {
    await ensureAccountKey(context(), config());
    expect(await ensureAccountKey(context(), config())).toEqual({
      kind: "file",
      file: keyFileIn(dataDir),
    });
    expect(await store.listKeys()).toHaveLength(1);
  });

  test("is not looked up in a file whose key has been revoked", async () => {
    await addKey(context(), { secret: "made-by-a-person", name: "", server: null });
    writeFileSync(keyFileIn(dataDir), "revoked-long-ago\n");
    expect(await ensureAccountKey(context(), config())).toEqual({ kind: "own" });
  });

  test("is generated again when no account key remains", async () => {
    await ensureAccountKey(context(), config());
    for (const key of await store.listKeys()) await store.removeKey(key.id);
    const again = await ensureAccountKey(context(), config());
    expect(again.kind).toBe("generated");
    expect(await opens(readKeyFile(dataDir) ?? "")).toBe(true);
  });

  test("is stored without a file when RESTANTE_API_KEY is set", async () => {
    expect(await ensureAccountKey(context(), config({ apiKey: "operators-key" }))).toEqual({
      kind: "own",
    });
    expect(await opens("operators-key")).toBe(true);
    expect(readKeyFile(dataDir)).toBeUndefined();
  });

  test("is replaced when RESTANTE_API_KEY changes, while other keys stay valid", async () => {
    await addKey(context(), { secret: "made-by-a-person", name: "CI", server: null });
    await ensureAccountKey(context(), config({ apiKey: "operators-key" }));
    await ensureAccountKey(context(), config({ apiKey: "operators-key" }));
    await ensureAccountKey(context(), config({ apiKey: "operators-new-key" }));
    const known = await Promise.all(["operators-key", "operators-new-key", "made-by-a-person"].map(opens));
    expect(known).toEqual([false, true, true]);
  });

  test.each(["0.0.0.0", "::", "10.1.2.3"])("is required for listeners on loopback and %s", async (exposed) => {
    const bind = ["127.0.0.1", exposed] as const;
    await expect(ensureAccountKey(context(), config({ bind }))).rejects.toThrow(`RESTANTE_BIND: ${exposed} can`);
    expect(await store.listKeys()).toEqual([]);
    expect(await ensureAccountKey(context(), config({ bind, apiKey: "operators-key" }))).toEqual({
      kind: "own",
    });
  });

  test("listens beyond loopback with an account key that an earlier start generated", async () => {
    await ensureAccountKey(context(), config());
    expect((await ensureAccountKey(context(), config({ bind: ["0.0.0.0"] }))).kind).toBe("file");
  });

  test("is not replaced by a key that is restricted to a server", async () => {
    const [server] = await ensureServers(context(), config());
    await addKey(context(), { secret: "restricted-key", name: "", server: server.id });
    expect((await ensureAccountKey(context(), config())).kind).toBe("generated");
  });
});

describe("servers", () => {
  const wanted = [
    { id: "bbbb2222" as ServerId, name: "Second" },
    { id: "aaaa1111" as ServerId, name: "First" },
  ];

  test("are one with a random id by default", async () => {
    const servers = await ensureServers(context(), config());
    expect(servers.map((server) => server.name)).toEqual(["Default"]);
    expect(await ensureServers(context(), config())).toEqual(servers);
  });

  test("are returned oldest first by default", async () => {
    for (const { id, name } of wanted) {
      await addServer(context(), { id, name, expiresAt: null });
      clock.advance(1);
    }
    const servers = await ensureServers(context(), config());
    expect(servers.map((server) => server.id)).toEqual(["bbbb2222", "aaaa1111"]);
  });

  test("creates the servers of RESTANTE_SERVERS in their order, and no others", async () => {
    const servers = await ensureServers(context(), config({ servers: wanted }));
    expect(servers.map(({ id, name }) => ({ id, name }))).toEqual(wanted);
    expect(await store.listServers()).toHaveLength(2);
  });

  test("leaves servers that exist unchanged", async () => {
    await ensureServers(context(), config({ servers: wanted }));
    await store.updateServer(wanted[0]?.id as ServerId, { name: "Renamed" });
    const [first] = await ensureServers(context(), config({ servers: wanted }));
    expect(first.name).toBe("Renamed");
  });

  test("must include the catch-all server", async () => {
    const catchAll = "cccc3333" as ServerId;
    const refused = ensureServers(context(), config({ servers: wanted, catchAll }));
    await expect(refused).rejects.toThrow("RESTANTE_CATCH_ALL: there is no server cccc3333");
    const included = [...wanted, { id: catchAll, name: "Rest" }];
    expect(await ensureServers(context(), config({ servers: included, catchAll }))).toHaveLength(3);
  });
});
