/** Start-up, signals, crashes, a second instance, keys and backups of the service. */
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { LocalService } from "../../src/testing/local-service.ts";
import type { ServiceAccess } from "../../src/testing/service-access.ts";
import { runCommand, ServiceProcess } from "../../src/testing/service-process.ts";
import { SmtpDialogue } from "../../src/testing/smtp-dialogue.ts";
import { runLocally } from "./local-command.ts";

const key = "a-key-for-journeys";
const freePorts = ["--http-port=0", "--https-port=0", "--smtp-port=0"];
const settings = { RESTANTE_API_KEY: key, RESTANTE_SERVERS: "jrny1234:Journey" };

let folder: string;
let dataDir: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "restante-journey-"));
  dataDir = join(folder, "data");
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const start = (environment: Record<string, string> = {}): Promise<ServiceProcess> =>
  ServiceProcess.start([`--data-dir=${dataDir}`], { environment });

const startHere = (
  argv: readonly string[] = [],
  environment: Record<string, string> = settings,
): Promise<LocalService> => LocalService.start([`--data-dir=${dataDir}`, ...argv], environment);

test("prints the settings and the API key on the first start, and omits the key on later starts", async () => {
  const first = await start();
  const server = first.shown("Server");
  const generated = first.shown("API key");
  expect(readFileSync(join(dataDir, "api-key"), "utf8").trim()).toBe(generated);
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);

  await first.send(`anyone@${server}.restante.example.com`, "Hello");
  expect(await first.subjects(server, generated)).toEqual(["Hello"]);
  expect((await first.fetch("/readyz", "")).status).toBe(200);
  const metrics = await (await first.fetch("/metrics", "")).text();
  expect(metrics).toMatch(/^restante_mails_accepted_total 1$/m);
  expect(metrics).toMatch(/^restante_messages 1$/m);

  expect(await first.stop()).toMatchObject({ code: 0, signal: null });
  expect(existsSync(join(dataDir, "service.json"))).toBe(false);

  await using second = await startHere([], {});
  expect(second.message).not.toContain(generated);
  expect(second.message).toContain(`in ${join(dataDir, "api-key")}`);
  expect(await second.subjects(server, generated)).toEqual(["Hello"]);
});

test("keeps browser sessions across a restart, and stores nothing that would open one", async () => {
  const own = { "sec-fetch-site": "same-origin", "x-restante-web": "1" };
  const ask = async ({ url }: ServiceAccess, line: string, headers: Record<string, string>): Promise<Response> => {
    const [method = "", path = ""] = line.split(" ");
    return fetch(url + path, { method, headers: { ...own, ...headers } });
  };
  const as = async (service: ServiceAccess, line: string, pageToken: string): Promise<number> => {
    const cookie = `restante-${new URL(service.url).port}=${secret}`;
    return (await ask(service, line, { cookie, "x-restante-session": pageToken })).status;
  };
  const first = await startHere();
  const token = first.shown("Web UI").split("#token=")[1] ?? "";
  const signedIn = await ask(first, "POST /web/session", { authorization: `Bearer ${key}` });
  const secret = /=([\w-]{43});/.exec(signedIn.headers.get("set-cookie") ?? "")?.[1] ?? "";
  const { pageToken } = (await signedIn.json()) as { pageToken: string };
  expect(await as(first, "GET /web/session", pageToken)).toBe(200);
  expect(await as(first, "GET /web/session", "")).toBe(401);
  await first.stop();

  const database = readFileSync(join(dataDir, "restante.db"));
  const hash = createHash("sha256").update(`${secret}.${pageToken}`).digest("base64url");
  expect([secret, pageToken, token, hash].map((text) => database.includes(text))).toEqual([false, false, false, true]);

  await using second = await startHere();
  expect(await as(second, "GET /web/session", pageToken)).toBe(200);
  expect((await ask(second, "POST /web/session", { authorization: `Bearer ${token}` })).status).toBe(200);
  expect(await as(second, "DELETE /web/session", pageToken)).toBe(204);
  expect(await as(second, "GET /web/session", pageToken)).toBe(401);
});

test("receives mail over STARTTLS and implicit TLS from clients that trust the printed CA", async () => {
  await using service = await startHere(["--smtps-port=0", "--smtp-starttls=always"]);
  const tls = { ca: readFileSync(service.shown("CA"), "utf8"), servername: "jrny1234.restante.example.com" };
  await using upgraded = await service.greet();
  await upgraded.play(["EHLO test", /STARTTLS/], ["STARTTLS", "220"]);
  await upgraded.secure(tls);
  await upgraded.play(["EHLO test", "250"]);
  const smtpsPort = Number(service.shown("SMTPS").split(":").at(-1));
  await using secured = await SmtpDialogue.connect(smtpsPort, { ...tls, servername: "localhost" });
  await secured.expect("220");
});

describe("start-up", () => {
  test("fails with exit code 2 and the name of every invalid setting", async () => {
    const environment = { RESTANTE_HTTP_PORT: "eighty", RESTANTE_CATCH_ALL: "nobody" };
    const { code, out, error } = await runCommand(["serve", `--data-dir=${dataDir}`], { environment });
    expect([code, out]).toEqual([2, ""]);
    expect(error).toMatch(
      /^restante: RESTANTE_HTTP_PORT: "eighty" is not allowed; .+\nrestante: RESTANTE_CATCH_ALL: .+\n$/,
    );
    expect(existsSync(dataDir)).toBe(false);
  });

  test.each(["smtp", "http", "https"])("fails when a port is in use, naming its setting: %s", async (name) => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const argv = ["serve", `--data-dir=${dataDir}`, ...freePorts, `--${name}-port=${port}`];
    const { code, error } = await runCommand(argv, { environment: settings });
    other.close();
    expect(code).toBe(2);
    expect(error).toContain(`RESTANTE_${name.toUpperCase()}_PORT: port ${port} of 127.0.0.1 is in use`);
    expect(existsSync(join(dataDir, "service.json"))).toBe(false);
  });

  test("fails when the data directory is below a file", async () => {
    const file = join(folder, "file");
    writeFileSync(file, "");
    const below = join(file, "data");
    const { code, error } = await runCommand(["serve", `--data-dir=${below}`, ...freePorts]);
    expect([code, error]).toEqual([1, `restante: ${below}: a part of the path is a file, not a folder\n`]);
  });

  test("fails when the configured browser does not exist", async () => {
    const { code, error } = await runCommand(["serve", `--data-dir=${dataDir}`, ...freePorts, "--chromium=/nope"]);
    expect([code, error]).toEqual([2, "restante: RESTANTE_CHROMIUM: /nope is not an executable program\n"]);
    expect(existsSync(dataDir)).toBe(false);
  });

  test("fails when the service would be reachable by others without a key", async () => {
    const argv = ["serve", `--data-dir=${dataDir}`, ...freePorts, "--bind=0.0.0.0"];
    const { code, error } = await runCommand(argv);
    expect(code).toBe(2);
    expect(error).toContain("RESTANTE_API_KEY");
    expect(existsSync(join(dataDir, "api-key"))).toBe(false);
  });

  test("fails when the configured certificate is unusable", async () => {
    const argv = ["serve", `--data-dir=${dataDir}`, `--tls-cert=${folder}/no.pem`, `--tls-key=${folder}/no.pem`];
    const { code, error } = await runCommand(argv, { environment: settings });
    expect(code).toBe(2);
    expect(error).toMatch(/RESTANTE_TLS_CERT.*no\.pem cannot be read \(ENOENT\)/);
  });

  test("fails when the data directory cannot be created, naming it", async () => {
    writeFileSync(dataDir, "a file, not a folder");
    const { code, error } = await runCommand(["serve", `--data-dir=${dataDir}`], { environment: settings });
    expect(code).toBe(1);
    expect(error).toContain(dataDir);
  });

  test("fails when another service uses the data directory, which keeps running", async () => {
    await using first = await startHere();
    const { code, error } = await runCommand(["serve", `--data-dir=${dataDir}`, ...freePorts]);
    expect(code).toBe(1);
    expect(error).toContain(dataDir);
    await first.send("anyone@jrny1234.restante.example.com", "Still there");
    expect(await first.subjects("jrny1234", key)).toEqual(["Still there"]);
    expect(existsSync(join(dataDir, "service.json"))).toBe(true);
  });
});

test("warns about an unknown variable and starts", async () => {
  await using service = await start({ ...settings, RESTANTE_SMPT_PORT: "25" });
  expect(service.errors).toContain(
    "RESTANTE_SMPT_PORT is not a setting and has no effect; did you mean RESTANTE_SMTP_PORT?",
  );
});

describe("the command line tool", () => {
  const environment = (): Record<string, string> => ({ ...settings, RESTANTE_DATA_DIR: dataDir });
  const tool = async (...argv: string[]): Promise<string> => {
    const { code, out, error } = await runCommand(argv, { environment: environment() });
    expect([code, error]).toEqual([0, ""]);
    return out.trim();
  };

  test("backs up a running service to a database that a new service can start from", async () => {
    const service = await start(settings);
    await service.send("anyone@jrny1234.restante.example.com", "Worth keeping");
    const copy = join(folder, "copy.db");
    expect(await tool("backup", copy)).toBe(copy);
    await service.send("anyone@jrny1234.restante.example.com", "Too late");
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    const again = await runLocally(["backup", copy], { environment: environment() });
    expect(again).toMatchObject({ code: 1, error: expect.stringContaining("already exists") as unknown });
    await service.stop();

    const restored = join(folder, "restored");
    mkdirSync(restored);
    cpSync(copy, join(restored, "restante.db"));
    await using second = await LocalService.start([`--data-dir=${restored}`], settings);
    expect(await second.subjects("jrny1234", key)).toEqual(["Worth keeping"]);
  });
});
