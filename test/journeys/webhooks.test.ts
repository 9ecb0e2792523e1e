/** Webhooks and `restante listen` over real sockets, through kill -9 of the service. */
import { mkdtempSync, rmSync } from "node:fs";
import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { freePort } from "../../src/testing/free-port.test-aid.ts";
import { startHttpListener, type HttpListener, type ReceivedRequest } from "../../src/testing/http-listener.ts";
import { LocalService } from "../../src/testing/local-service.ts";
import type { ServiceAccess } from "../../src/testing/service-access.ts";
import { mainFile, processEnvironment, ServiceProcess } from "../../src/testing/service-process.ts";
import { subscribeByGraph, validationAnswer } from "./graph-subscription.ts";
import { runLocally } from "./local-command.ts";
import { storeSettings } from "./store-under-test.ts";

const key = "a-key-for-webhooks";
const server = "hooks123";
const patience = { interval: 20 };

let folder: string;
let application: HttpListener;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "restante-webhooks-"));
  application = await startHttpListener(validationAnswer);
});
afterEach(async () => {
  await application[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const environment = { RESTANTE_API_KEY: key, RESTANTE_SERVERS: `${server}:Hooks`, RESTANTE_LOG: "error" };

const settings = async (): Promise<Record<string, string>> => ({ ...environment, ...(await storeSettings(folder)) });
const argvOf = (port: number): readonly string[] => [`--data-dir=${folder}`, `--http-port=${String(port)}`];
const start = async (port = 0): Promise<ServiceProcess> =>
  ServiceProcess.start(argvOf(port), { environment: await settings() });
const startHere = async (port = 0): Promise<LocalService> => LocalService.start(argvOf(port), await settings());

/** Runs a command of the tool for the service; `test/snippets` runs the same commands in processes. */
async function command(service: ServiceAccess, ...argv: readonly string[]): Promise<string> {
  const { code, out, error } = await runLocally(argv, {
    environment: { RESTANTE_API_KEY: key, RESTANTE_URL: service.url, RESTANTE_SERVER: server },
  });
  if (code !== 0) throw new Error(error);
  return out;
}

function verified(
  { body, headers }: ReceivedRequest,
  secret: string,
): { readonly type: string; readonly data: { id: string; subject?: string } } {
  return new Webhook(secret).verify(body, headers as Record<string, string>) as ReturnType<typeof verified>;
}

test("calls the application about mail within a moment, signed with the secret that the command printed", async () => {
  await using service = await startHere();
  const [id = "", secret = ""] = (await command(service, "webhooks", "add", `${application.url}/hooks`))
    .trim()
    .split("\t");
  await service.send(`a@${server}.restante.test`, "Welcome");
  await vi.waitFor(() => {
    expect(application.requests).toHaveLength(1);
  }, patience);
  const [request] = application.requests;
  if (request === undefined) throw new Error("there is no request");
  expect(verified(request, secret)).toMatchObject({ type: "message.received", data: { server, subject: "Welcome" } });
  expect(() => verified({ ...request, body: request.body.replace("Welcome", "Goodbye") }, secret)).toThrow(
    "No matching signature",
  );
  expect(await command(service, "webhooks", "list")).toContain(id);
  await command(service, "webhooks", "ping", id);
  const rotated = (await command(service, "webhooks", "rotate", id)).trim();
  await command(service, "webhooks", "ping", id);
  await vi.waitFor(() => {
    expect(application.requests).toHaveLength(3);
  }, patience);
  const last = application.requests[2];
  if (last === undefined) throw new Error("there is no request");
  for (const one of [secret, rotated]) expect(verified(last, one)).toMatchObject({ type: "ping" });
  await vi.waitFor(async () => {
    const delivered = await service.fetch(`/api/servers/${server}/deliveries?status=Delivered`, key);
    expect(await delivered.json()).toHaveLength(3);
  }, patience);
  expect((await command(service, "webhooks", "deliveries", "--status", "delivered")).split("\n")).toHaveLength(4);
  expect(await command(service, "webhooks", "replay", "--status", "Delivered", "--type", "message.received")).toBe(
    "1\n",
  );
  await vi.waitFor(() => {
    expect(application.requests).toHaveLength(4);
  }, patience);
  expect(application.requests[3]?.headers["webhook-id"]).toBe(request.headers["webhook-id"]);
  await command(service, "webhooks", "remove", id);
  expect(await command(service, "webhooks", "list")).toBe("");
});

test("loses no event and no notification when the service is killed after mail was accepted", async () => {
  const subjects = Array.from({ length: 60 }, (_, number) => `mail ${String(number)}`);
  const first = await start();
  const [, secret = ""] = (await command(first, "webhooks", "add", `${application.url}/hooks`)).trim().split("\t");
  const user = `a@${server}.restante.test`;
  const notificationUrl = `${application.url}/graph`;
  const subscription = await subscribeByGraph(first, { key, user, notificationUrl });
  await Promise.all(subjects.map(async (subject) => first.send(`a@${server}.restante.test`, subject)));
  await first.stop("SIGKILL");
  await using second = await startHere();
  const events = (): readonly ReceivedRequest[] => application.requests.filter(({ path }) => path === "/hooks");
  const received = (): readonly string[] => events().map((one) => verified(one, secret).data.subject ?? "");
  await vi.waitFor(() => {
    expect([...new Set(received())].toSorted()).toEqual(subjects.toSorted());
    expect([...new Set(subscription.subjectsIn(application.requests))].toSorted()).toEqual(subjects.toSorted());
  }, patience);
  // One request may have been answered and not recorded; its event keeps its id.
  const ids = new Map(events().map((one) => [verified(one, secret).data.id, one.headers["webhook-id"]]));
  expect(ids.size).toBe(subjects.length);
  for (const one of events()) {
    expect(one.headers["webhook-id"]).toBe(ids.get(verified(one, secret).data.id));
  }
  expect(await second.subjects(server, key)).toHaveLength(50);
});

test("forwards events to a local URL, and continues after the service was killed", async () => {
  const port = await freePort();
  const first = await start(port);
  const child = spawn(process.execPath, [mainFile, "listen", "--forward", `${application.url}/local`], {
    env: { ...processEnvironment, RESTANTE_API_KEY: key, RESTANTE_URL: first.url, RESTANTE_SERVER: server },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [out, error] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (error += text));
  try {
    await vi.waitFor(() => {
      expect(error).toContain("Listening to server");
    }, patience);
    const secret = /whsec_\S+/.exec(error)?.[0] ?? "";
    await first.send(`a@${server}.restante.test`, "One \u009b2J");
    await vi.waitFor(() => {
      // CSI as one character (ECMA-48 §8.3.16) would clear the terminal.
      expect(out).toMatch(/message\.received {2}\S+ {2}"One \\u009b2J" {2}POST \S+\/local → 204/);
    }, patience);
    await first.stop("SIGKILL");
    await using second = await startHere(port);
    await second.send(`a@${server}.restante.test`, "Two");
    await vi.waitFor(() => {
      expect(application.requests).toHaveLength(2);
    }, patience);
    const subjects = application.requests.map((request) => verified(request, secret).data.subject);
    expect(subjects).toEqual(["One \u009b2J", "Two"]);
    await vi.waitFor(() => {
      expect(error).toContain("Reconnected");
    }, patience);
  } finally {
    child.kill("SIGKILL");
  }
});
