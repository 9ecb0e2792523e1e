import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readBody } from "node:stream/consumers";
import { createTargetPolicy } from "../../core/outgoing-target.ts";
import { expect, onTestFinished, test } from "vitest";
import { twilio } from "../../providers/twilio/provider.ts";
import { sendByProvider, type PhoneSms } from "./deliver-sms.ts";

const rules = { policy: createTargetPolicy({ origins: [], allowsLoopback: true }) };

interface ReceivedRequest {
  readonly line: string;
  readonly authorization: string | undefined;
  readonly body: string;
}

/** Starts a provider with the given response, and returns an SMS for it. */
async function openProvider(
  answer: (response: ServerResponse) => void,
): Promise<{ received: ReceivedRequest[]; sms: PhoneSms }> {
  const received: ReceivedRequest[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { authorization } = request.headers;
    received.push({ line: `${request.method} ${request.url}`, authorization, body: await readBody(request) });
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
  return { received, sms: { provider: twilio, account, from: "+15550100", to: "+447700900123", text: "YES" } };
}

test("sends an SMS once, with the credentials of the account", async () => {
  const { received, sms } = await openProvider((response) => response.writeHead(201).end('{"sid":"SM1"}'));
  await sendByProvider(sms, rules);
  expect(received).toEqual([
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
  const { received, sms } = await openProvider(answer);
  await expect(sendByProvider(sms, rules)).rejects.toMatchObject({ name: "DeliveryFailure", verdict });
  expect(received).toHaveLength(1);
});

test("retries when the provider is unreachable, and omits secrets from the message", async () => {
  const { sms } = await openProvider(() => undefined);
  const nowhere = { ...sms, account: { ...sms.account, secret: "s3cr3t", apiUrl: "http://127.0.0.1:1" } };
  const failure: Error = await sendByProvider(nowhere, rules).then(
    () => expect.unreachable(),
    (error: Error) => error,
  );
  expect(failure).toMatchObject({ verdict: "retry" });
  expect(failure.message).not.toContain("s3cr3t");
});

/** Writes until the client closes the connection. */
function flood(response: ServerResponse): void {
  const piece = "x".repeat(16 * 1024);
  const write = (): void => {
    while (response.writable && response.write(piece));
  };
  response.on("drain", write);
  write();
}
