/** The Model Context Protocol, as the official client speaks it over both transports. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LocalService } from "../../src/testing/local-service.ts";
import { mainFile, processEnvironment } from "../../src/testing/service-process.ts";

const key = "a-key-for-mcp-journeys";
let folder: string;
let service: LocalService;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "restante-mcp-"));
  service = await LocalService.start([`--data-dir=${folder}`], { RESTANTE_API_KEY: key });
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

/** A client that opens with `initialize` (`legacy`), or with the latest revision that both know (`auto`). */
async function connect(transport: "stdio" | "HTTP", mode: "legacy" | "auto", apiKey = key): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${apiKey}` } };
  const args = [mainFile, "mcp", `--data-dir=${folder}`];
  const env = { ...processEnvironment, RESTANTE_API_KEY: apiKey };
  await client.connect(
    transport === "HTTP"
      ? new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { requestInit })
      : new StdioClientTransport({ command: process.execPath, args, env }),
  );
  return client;
}

async function callTool(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  return textOf(await client.callTool({ name, arguments: args }));
}

function textOf({ content }: Awaited<ReturnType<Client["callTool"]>>): string {
  const [first] = content;
  return first?.type === "text" ? first.text : "";
}

function abortable(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const controller = new AbortController();
  return {
    signal: controller.signal,
    abort: () => {
      controller.abort(new Error("cancelled by the test"));
    },
  };
}

/** Searches that wait in the service. */
async function waitingCount(): Promise<number> {
  const metrics = await (await service.fetch("/metrics", key)).text();
  return Number(/^restante_waiting_searches (\d+)$/m.exec(metrics)?.[1]);
}

/** Sends a mail with a code, as an application does. */
async function sendCode(to: string, code: string): Promise<void> {
  await using dialogue = await service.greet();
  await dialogue.play(
    ["EHLO app", "250"],
    ["MAIL FROM:<app@app.example>", "250"],
    [`RCPT TO:<${to}>`, "250"],
    ["DATA", "354"],
    [`Subject: Sign-up\r\nTo: ${to}\r\n\r\nYour code is ${code}.\r\n.\r\n`, "250"],
  );
}

describe.each([
  ["stdio", "legacy", "2025-11-25"],
  ["HTTP", "legacy", "2025-11-25"],
  ["HTTP", "auto", "2026-07-28"],
] as const)("a client over %s (%s)", (transport, mode, revision) => {
  test("gets from a new server to the code of a mail that arrives during the wait", async () => {
    const client = await connect(transport, mode);
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    const created = await callTool(client, "create_server", { name: "Sign-up" });
    expect(created).toContain(`host 127.0.0.1, port ${String(service.smtpPort)}, without credentials`);
    const server = /server (\w{8})/.exec(created)?.[1] ?? "";
    const sentTo = `new-user@${server}.restante.test`;
    let sent: Promise<void> | undefined;
    const wait = { name: "wait_for_message", arguments: { server, sentTo, timeoutMs: 60_000 } };
    const onprogress = (): void => {
      sent ??= sendCode(sentTo, "804219");
    };
    const arrived = textOf(await client.callTool(wait, { onprogress }));
    await sent;
    const id = /"id": "([0-9a-f-]{36})"/.exec(arrived)?.[1] ?? "";
    expect(await callTool(client, "get_code", { id })).toContain('"804219"');
    const { contents } = await client.readResource({ uri: `restante://messages/${id}` });
    expect(JSON.stringify(contents)).toContain("Sign-up");
    await client.close();
  });

  test("ends the wait in the service when it cancels the call", async () => {
    const client = await connect(transport, mode);
    const { signal, abort } = abortable();
    const server = /server (\w{8})/.exec(await callTool(client, "create_server", { name: "Cancelled" }))?.[1] ?? "";
    const wait = { name: "wait_for_message", arguments: { server, subject: "Never", timeoutMs: 60_000 } };
    const cancelled = client.callTool(wait, { signal }).catch(String);
    while ((await waitingCount()) === 0) await new Promise((resolve) => setImmediate(resolve));
    abort();
    expect(await cancelled).toContain("cancelled by the test");
    while ((await waitingCount()) > 0) await new Promise((resolve) => setImmediate(resolve));
    await client.close();
  });
});

test("a wrong key is an error that says what to do, over both transports", async () => {
  await expect(connect("HTTP", "legacy", "a-wrong-key")).rejects.toThrow(
    "Authentication credentials are missing or wrong",
  );
  const client = await connect("stdio", "legacy", "a-wrong-key");
  expect(await callTool(client, "list_servers", {})).toContain("Ask the user for a valid key");
  await client.close();
});
