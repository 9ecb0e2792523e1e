import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createConnection, createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { throwAwayCertificate } from "../../../testing/throw-away-certificate.ts";
import { connect, type Connection } from "./connection.ts";
import { readDatabaseUrl } from "./connection-url.ts";
import { openDatabase } from "./database.ts";
import { EmbeddedPostgres } from "../embedded-postgres.test-aid.ts";

let primary: EmbeddedPostgres;
let standby: EmbeddedPostgres;
let folder: string;
const certificate = throwAwayCertificate(["localhost"]);
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "restante-connection-"));
  writeFileSync(join(folder, "ca.pem"), certificate.ca);
  writeFileSync(join(folder, "other-ca.pem"), throwAwayCertificate().ca);
  const { cert, key } = certificate.credentials;
  const tls = { certificate: cert, key };
  [primary, standby] = await Promise.all([
    EmbeddedPostgres.start({ durable: false, tls }),
    EmbeddedPostgres.start({ durable: false, settings: ["default_transaction_read_only=on"] }),
  ]);
});
afterAll(async () => {
  await Promise.all([primary.stop(), standby.stop()]);
  rmSync(folder, { recursive: true });
});

/** Connects to the first suitable host; `query` is appended to the query of the URL. */
async function open(hosts: readonly string[], query = ""): Promise<Connection> {
  return connect(readDatabaseUrl(`postgres://postgres@${hosts.join(",")}/postgres?connect_timeout=3${query}`));
}
async function portOf(hosts: readonly string[], query = ""): Promise<number> {
  const connection = await open(hosts, query);
  connection.close();
  return connection.host.port;
}
const at = (port: number, host = "127.0.0.1"): string => `${host}:${String(port)}`;

describe("several hosts", () => {
  test("uses the first reachable server that accepts writes", async () => {
    const hosts = [at(1), at(standby.port), at(primary.port)];
    expect(await portOf(hosts)).toBe(primary.port);
    expect(await portOf(hosts, "&target_session_attrs=any")).toBe(standby.port);
  });

  test("rejects with the error of every server when none can be used", async () => {
    await expect(open([at(1), at(standby.port)])).rejects.toThrow(/ECONNREFUSED.*is read-only/);
  });

  test("fails over to another host when the first crashes", async () => {
    await using first = await EmbeddedPostgres.start({ durable: false });
    const hosts = [first.port, primary.port].map((port) => at(port)).join(",");
    const database = openDatabase(`postgres://postgres@${hosts}/postgres`);
    const port = async (): Promise<number | undefined> =>
      (await database.query<{ port: number }>("select inet_server_port() as port"))[0]?.port;
    expect(await port()).toBe(first.port);
    await first.kill();
    await expect.poll(() => port().catch(() => 0)).toBe(primary.port);
    await database.close();
  });

  test("rejects writes with unavailable when the server becomes read-only", async () => {
    const database = openDatabase(`postgres://postgres@${at(standby.port)}/postgres?target_session_attrs=any`);
    await expect(database.query("create table t(n int)")).rejects.toMatchObject({ code: "unavailable" });
    await database.close();
  });
});

test("isDirect distinguishes a server from a connection pooler, which assigns its own process ids", async () => {
  const connection = await open([at(primary.port)]);
  expect(await connection.isDirect(5000)).toBe(true);
  connection.close();
  const pooled = createServer((client) => {
    const server = createConnection({ port: primary.port, host: "127.0.0.1" });
    client.on("error", () => undefined).pipe(server);
    server
      .on("error", () => undefined)
      .on("data", (chunk: Buffer) => {
        // BackendKeyData: the letter, the length 12, the process, the secret.
        const position = chunk.indexOf(Buffer.from([0x4b, 0, 0, 0, 12]));
        if (position >= 0) chunk.writeInt32BE(7, position + 5);
        client.write(chunk);
      });
    server.on("end", () => client.end());
  }).listen(0, "127.0.0.1");
  await once(pooled, "listening");
  const through = await open([at((pooled.address() as AddressInfo).port)]);
  expect(await through.isDirect(5000)).toBe(false);
  through.close();
  pooled.close();
});

describe("TLS", () => {
  const root = (name: string): string => `&sslrootcert=${encodeURIComponent(join(folder, name))}`;
  const local = (): readonly string[] => [at(primary.port, "localhost")];

  test("verifies the issuer and the name of the certificate with verify-full", async () => {
    const connection = await open(local(), `&sslmode=verify-full${root("ca.pem")}`);
    const sql = "select ssl from pg_stat_ssl where pid = pg_backend_pid()";
    expect(await connection.run({ sql, parameters: [], timeoutMs: 120_000 })).toEqual([{ ssl: true }]);
    connection.close();
    await expect(open(local(), `&sslmode=verify-full${root("other-ca.pem")}`)).rejects.toThrow(/certificate|signature/);
    await expect(open([at(primary.port)], `&sslmode=verify-full${root("ca.pem")}`)).rejects.toThrow(/altnames/);
  });

  test("verifies only the issuer with verify-ca, and nothing with require", async () => {
    expect(await portOf([at(primary.port)], `&sslmode=verify-ca${root("ca.pem")}`)).toBe(primary.port);
    await expect(open([at(primary.port)], `&sslmode=verify-ca${root("other-ca.pem")}`)).rejects.toThrow(
      /certificate|signature/,
    );
    expect(await portOf([at(primary.port)], "&sslmode=require")).toBe(primary.port);
  });

  test("rejects when it is required but the server does not offer it", async () => {
    await expect(open([at(standby.port)], "&sslmode=require&target_session_attrs=any")).rejects.toThrow("SSL");
  });

  test("protects cancel requests", async () => {
    const query = `?sslmode=verify-full${root("ca.pem")}`;
    const database = openDatabase(`postgres://postgres@${local().join(",")}/postgres${query}`, {
      statementMsMax: 2000,
    });
    await expect(database.query("select pg_sleep(60)")).rejects.toMatchObject({ code: "unavailable" });
    const [row] = await database.query<{ count: number }>(
      "select count(*) as count from pg_stat_activity where query like '%pg_sleep(60)%' and state = 'active' and pid <> pg_backend_pid()",
    );
    expect(row?.count).toBe(0);
    await database.close();
  });
});

test("rejects with ConnectionLost when a commit times out waiting for a synchronous standby", async () => {
  await using withoutStandby = await EmbeddedPostgres.start({
    durable: false,
    settings: ["synchronous_standby_names=missing"],
  });
  const [connection, other] = await Promise.all([open([at(withoutStandby.port)]), open([at(withoutStandby.port)])]);
  const sql = "create table waits_for_a_standby ()";
  const outcome = await connection.run({ sql, parameters: [], timeoutMs: 3000 }).catch((error: unknown) => error);
  expect(outcome).toMatchObject({ name: "ConnectionLost", mayBeCommitted: true });
  expect(connection.isUsable()).toBe(false);
  const table = { sql: "select * from waits_for_a_standby", parameters: [], timeoutMs: 120_000 };
  expect(await other.run(table)).toEqual([]);
  other.close();
});

test("rejects with unavailable when the server hangs beyond the timeout", async () => {
  await using frozen = await EmbeddedPostgres.start({ durable: false });
  const database = openDatabase(frozen.url(), { statementMsMax: 3000, connectionWaitMsMax: 3000 });
  const [row] = await database.query<{ pid: number }>("select pg_backend_pid() as pid");
  const pid = row?.pid ?? 0;
  process.kill(pid, "SIGSTOP");
  try {
    await expect(database.query("select 1")).rejects.toMatchObject({ code: "unavailable" });
  } finally {
    process.kill(pid, "SIGCONT");
  }
  await database.close();
});
