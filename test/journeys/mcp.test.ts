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

/** Transports and protocol revisions that clients use: `legacy` opens with `initialize`. */
const ways = [
  ["stdio", "legacy"],
  ["stdio", "auto"],
  ["HTTP", "legacy"],
  ["HTTP", "auto"],
] as const;

async function connect(transport: "stdio" | "HTTP", mode: "legacy" | "auto"): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(
    transport === "HTTP"
      ? new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), {
          requestInit: { headers: { authorization: `Bearer ${key}` } },
        })
      : new StdioClientTransport({
          command: process.execPath,
          args: [mainFile, "mcp", `--data-dir=${folder}`],
          env: { ...processEnvironment, RESTANTE_API_KEY: key },
        }),
  );
  return client;
}

async function callTool(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  const { content } = await client.callTool({ name, arguments: args });
  const [first] = content;
  return first?.type === "text" ? first.text : "";
}

describe.each(ways)("over %s, with the %s handshake", (transport, mode) => {
  test("gets from a new server to the code of a mail, which arrives during the wait", async () => {
    const client = await connect(transport, mode);
    const { tools } = await client.listTools();
    console.log(client.getNegotiatedProtocolVersion?.(), tools.length);
    const created = await callTool(client, "create_server", { name: "Sign-up" });
    const server = /server (\w{8})/.exec(created)?.[1] ?? "";
    const sentTo = `new-user@${server}.restante.test`;
    const progress: number[] = [];
    const waiting = client.callTool(
      { name: "wait_for_message", arguments: { server, sentTo, timeoutMs: 30_000 } },
      { onprogress: ({ progress: done }) => {
        progress.push(done);
        if (progress.length === 1) void service.send(sentTo, "Your code is 804219");
      } },
    );
    const { content } = await waiting;
    console.log(JSON.stringify(content).slice(0, 600), progress);
    console.log(await callTool(client, "get_code", { server, sentTo }));
    await client.close();
  });
});
