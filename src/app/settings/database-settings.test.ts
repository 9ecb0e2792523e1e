import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { unobservedTasks } from "../../core/background-tasks.ts";
import { systemClock } from "../../core/clock.ts";
import { configFrom, readSettings } from "./config.ts";
import { startStore } from "../open-store.ts";

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

describe("settings of a PostgreSQL store", () => {
  test("are read with several hosts and a bucket", () => {
    const { config } = readSettings(
      {
        RESTANTE_DATABASE_URL: "postgres://u:p@one,two:5433/d?sslmode=verify-full",
        RESTANTE_DATABASE_LISTEN_URL: "postgres://u:p@one/d",
        RESTANTE_BLOB_URL: "s3://k:s@host/bucket",
      },
      ["--database-connections=4", "--search-index=off"],
    );
    expect(config).toMatchObject({
      databaseUrl: "postgres://u:p@one,two:5433/d?sslmode=verify-full",
      databaseListenUrl: "postgres://u:p@one/d",
      databaseConnections: 4,
      searchIndex: "off",
      blobUrl: "s3://k:s@host/bucket",
    });
  });

  test.each([
    ["RESTANTE_DATABASE_URL", "mysql://u:SECRET@h/d"],
    ["RESTANTE_DATABASE_LISTEN_URL", "postgres://u:SECRET@h/d?pgbouncer=true"],
    ["RESTANTE_BLOB_URL", "https://k:SECRET@host/bucket"],
    ["RESTANTE_DATABASE_CONNECTIONS", "1"],
    ["RESTANTE_SEARCH_INDEX", "on"],
  ])("refuse an invalid %s without showing its secret", (name, text) => {
    const read = () => readSettings({ [name]: text }, []);
    expect(read).toThrow(`${name}: `);
    expect(read).not.toThrow("SECRET");
  });

  test.each(["RESTANTE_DATABASE_LISTEN_URL", "RESTANTE_BLOB_URL"])(
    "refuse %s without RESTANTE_DATABASE_URL",
    (name) => {
      const text = name === "RESTANTE_BLOB_URL" ? "s3://k:s@host/bucket" : "postgres://u:p@one/d";
      expect(() => readSettings({ [name]: text }, [])).toThrow(`${name} requires PostgreSQL`);
    },
  );
});

describe("startStore", () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), "restante-open-store-"));
  });
  afterEach(() => {
    rmSync(dataDir, { recursive: true });
  });
  const dependencies = { clock: systemClock, log: silent, durable: false, tasks: unobservedTasks };

  test("returns no node coordination for the store in the data folder", async () => {
    const { store, nodes, ready } = await startStore(configFrom({ dataDir }), dependencies);
    expect(nodes).toBeNull();
    await ready();
    await store.close();
  });

  test("requires the keys that nodes must share", async () => {
    const databaseUrl = "postgres://u:p@127.0.0.1:1/d";
    await expect(startStore(configFrom({ dataDir, databaseUrl }), dependencies)).rejects.toThrow(
      /^RESTANTE_API_KEY is required .*\nRESTANTE_SECRET_KEY is required /,
    );
    const config = configFrom({ dataDir, databaseUrl, apiKey: "a-key-of-mine" });
    await expect(startStore(config, dependencies)).rejects.toThrow(/^RESTANTE_SECRET_KEY/);
  });
});
