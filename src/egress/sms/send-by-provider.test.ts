import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readBody } from "node:stream/consumers";
import { createTargetPolicy } from "../../core/outgoing-target.ts";
import { expect, onTestFinished, test } from "vitest";
import { twilio } from "../../providers/twilio/provider.ts";
import { sendByProvider, type PhoneSms } from "./send-by-provider.ts";

const rules = { policy: createTargetPolicy({ origins: [], allowsLoopback: true }) };

interface Heard {
  readonly line: string;
  readonly authorization: string | undefined;
  readonly body: string;
}

/** A provider that answers as told, and the text that goes there. */
async function openProvider(answer: (response: ServerResponse) => void): Promise<{ heard: Heard[]; text: PhoneSms }> {
  const heard: Heard[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { authorization } = request.headers;
    heard.push({ line: `${request.method} ${request.url}`, authorization, body: await readBody(request) });
    answer(response);
  };
  const server = createServer((request, response) => void take(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const account = { id: "AC1", key: null, secret: "token", apiUrl };
  return { heard, text: { provider: twilio, account, from: "+15550100", to: "+447700900123", text: "YES" } };
}

test("sends an SMS once, with the credentials of the account", async () => {
  const { heard, text } = await openProvider((response) => response.writeHead(201).end('{"sid":"SM1"}'));
  await sendByProvider(text, rules);
  expect(heard).toEqual([
    {
      line: "POST /2010-04-01/Accounts/AC1/Messages.json",
      authorization: `Basic ${Buffer.from("AC1:token").toString("base64")}`,
      body: "From=%2B15550100&To=%2B447700900123&Body=YES",
    },
  ]);
});

test.each([
  [
    "a permanent error",
    (response: ServerResponse) => response.writeHead(400).end('{"code":21610,"message":"No"}'),
    "fail",
  ],
  ["a redirect", (response: ServerResponse) => response.writeHead(302, { location: "/elsewhere" }).end(), "fail"],
  ["too many requests", (response: ServerResponse) => response.writeHead(429).end(), "retry"],
  ["a closed connection", (response: ServerResponse) => response.destroy(), "retry"],
  ["a response without end", (response: ServerResponse) => flood(response.writeHead(500)), "retry"],
] as const)("reports %s and sends nothing elsewhere", async (_name, answer, verdict) => {
  const { heard, text } = await openProvider(answer);
  await expect(sendByProvider(text, rules)).rejects.toMatchObject({ name: "DeliveryFailure", verdict });
  expect(heard).toHaveLength(1);
});

test("retries when the provider cannot be reached, with no secret in the message", async () => {
  const { text } = await openProvider(() => undefined);
  const nowhere = { ...text, account: { ...text.account, secret: "s3cr3t", apiUrl: "http://127.0.0.1:1" } };
  const failure: Error = await sendByProvider(nowhere, rules).then(
    () => expect.unreachable(),
    (error: Error) => error,
  );
  expect(failure).toMatchObject({ verdict: "retry" });
  expect(failure.message).not.toContain("s3cr3t");
});

/** Writes until nobody reads. */
function flood(response: ServerResponse): void {
  const piece = "x".repeat(16 * 1024);
  const write = (): void => {
    while (response.writable && response.write(piece));
  };
  response.on("drain", write);
  write();
}
