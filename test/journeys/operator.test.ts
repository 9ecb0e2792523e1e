/** Signals, crashes and keys, on either store. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { LocalService } from "../../src/testing/local-service.ts";
import { runCommand, ServiceProcess } from "../../src/testing/service-process.ts";
import { runLocally } from "./local-command.ts";
import { storeSettings } from "./store-under-test.ts";

const key = "a-key-for-journeys";
const settings = {
  RESTANTE_API_KEY: key,
  RESTANTE_SERVERS: "jrny1234:Journey",
  RESTANTE_LIMIT_WAIT_MS: "600000",
};

let folder: string;
let dataDir: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "restante-operator-"));
  dataDir = join(folder, "data");
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const environment = async (): Promise<Record<string, string>> => ({ ...settings, ...(await storeSettings(dataDir)) });
const start = async (): Promise<ServiceProcess> =>
  ServiceProcess.start([`--data-dir=${dataDir}`], { environment: await environment() });
const startHere = async (): Promise<LocalService> => LocalService.start([`--data-dir=${dataDir}`], await environment());

describe("SIGTERM", () => {
  test("completes mail whose content is in transit, and exits with 0", async () => {
    await using service = await start();
    await using busy = await service.greet();
    await busy.play(
      ["EHLO t", "250"],
      ["MAIL FROM:<a@b.c>", "250"],
      ["RCPT TO:<x@jrny1234.restante.test>", "250"],
      ["DATA", "354"],
    );
    await busy.write("Subject: On its way\r\n\r\nfirst half, ");
    await using idle = await service.greet();
    service.signal("SIGTERM");
    await idle.expect("421");
    await busy.write("second half\r\n.\r\n");
    await busy.expect("250");
    expect(await service.ended).toMatchObject({ code: 0, signal: null });
    await using next = await startHere();
    expect(await next.subjects("jrny1234", key)).toEqual(["On its way"]);
  });

  test("answers waiting searches and accepts no more connections", async () => {
    await using service = await start();
    const waiting = service.fetch("/api/messages/search?server=jrny1234&timeout=600000", key, {
      method: "POST",
      body: JSON.stringify({ subject: "never" }),
    });
    const metrics = async (): Promise<string> => (await service.fetch("/metrics", "")).text();
    await expect.poll(metrics).toMatch(/^restante_waiting_searches 1$/m);
    service.signal("SIGINT");
    expect((await waiting).status).toBe(200);
    expect(await service.ended).toMatchObject({ code: 0 });
    await expect(service.greet()).rejects.toThrow("ECONNREFUSED");
  });

  test("sent twice exits immediately", async () => {
    await using service = await start();
    await using busy = await service.greet();
    await busy.play(
      ["EHLO t", "250"],
      ["MAIL FROM:<a@b.c>", "250"],
      ["RCPT TO:<x@jrny1234.restante.test>", "250"],
      ["DATA", "354"],
    );
    await using idle = await service.greet();
    service.signal("SIGTERM");
    await idle.expect("421");
    service.signal("SIGTERM");
    expect(await service.ended).toMatchObject({ code: 1, signal: null });
  });
});

test("restores everything acknowledged with 250 after kill -9", async () => {
  const first = await start();
  await first.send("anyone@jrny1234.restante.test", "Before the crash");
  expect(await first.stop("SIGKILL")).toMatchObject({ signal: "SIGKILL" });
  await using second = await startHere();
  expect(await second.subjects("jrny1234", key)).toEqual(["Before the crash"]);
});

describe("the command line tool", () => {
  const ofTool = async (): Promise<Record<string, string>> => ({
    ...(await environment()),
    RESTANTE_DATA_DIR: dataDir,
  });
  const tool = async (runTool: typeof runCommand, ...argv: string[]): Promise<string> => {
    const { code, out, error } = await runTool(argv, { environment: await ofTool() });
    expect([code, error]).toEqual([0, ""]);
    return out.trim();
  };

  test("creates, lists and revokes keys whether or not the service is running", async () => {
    const opens = async (service: LocalService, secret: string): Promise<number> =>
      (await service.fetch("/api/messages?server=jrny1234", secret)).status;
    const listed = async (name: string): Promise<string> => {
      const rows = (await tool(runLocally, "keys", "list")).split("\n").map((row) => row.split("\t"));
      return rows.find((row) => row[3] === name)?.[0] ?? "";
    };

    const running = await startHere();
    const made = await tool(runLocally, "keys", "create", "--name", "while running", "--server", "jrny1234");
    expect(await opens(running, made)).toBe(200);
    expect((await running.fetch("/api/servers", made)).status).toBe(200);
    const created = await running.fetch("/api/teams", key, { method: "POST", body: JSON.stringify({ name: "Crew" }) });
    const { id: team } = (await created.json()) as { readonly id: string };
    await running.stop();

    await tool(runLocally, "keys", "create", "--name=of the crew", "--team=crew");
    const madeLater = await tool(runCommand, "keys", "create", "--name=while stopped");
    await tool(runCommand, "keys", "revoke", await listed("while running"));

    await using again = await startHere();
    const keys: unknown = await (await again.fetch("/api/keys", key)).json();
    expect(keys).toContainEqual(expect.objectContaining({ name: "of the crew", team }));
    expect(await opens(again, made)).toBe(401);
    expect(await opens(again, madeLater)).toBe(200);
    await tool(runLocally, "keys", "revoke", await listed("while stopped"));
    expect(await opens(again, madeLater)).toBe(401);

    const keyless = await runLocally(["keys", "list"], { environment: { RESTANTE_DATA_DIR: dataDir } });
    expect(keyless).toMatchObject({ code: 1, out: "", error: expect.stringContaining("RESTANTE_API_KEY") as unknown });
    const refused = await runLocally(["keys", "create", "--server=nosuchid"], { environment: await ofTool() });
    expect(refused).toMatchObject({ code: 1, out: "", error: "restante: Server not found\n" });
  });
});
