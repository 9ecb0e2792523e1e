import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isServiceAt } from "./service-client.ts";

let server: Server;
let url: string;
let answer: (request: IncomingMessage, response: ServerResponse) => void;

beforeEach(async () => {
  server = createServer((request, response) => {
    answer(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function answerWith(status: number, body = "", headers: Record<string, string> = {}): void {
  answer = (_request, response) => response.writeHead(status, headers).end(body);
}

describe("isServiceAt", () => {
  test.each([
    [200, {}],
    [401, { "www-authenticate": 'Basic realm="restante"' }],
  ] as const)("finds a service whose health answers with %i %j", async (status, headers) => {
    answerWith(status, "", headers);
    expect(await isServiceAt(url)).toBe(true);
  });

  test.each([
    [404, {}],
    [401, { "www-authenticate": 'Basic realm="printer"' }],
  ] as const)("but not when another program answers with %i %j", async (status, headers) => {
    answerWith(status, "", headers);
    expect(await isServiceAt(url)).toBe(false);
  });

  test("returns false when nothing listens", async () => {
    server.close();
    expect(await isServiceAt(url)).toBe(false);
  });

  test("does not send the key", async () => {
    let shown: string | undefined = "not asked";
    answer = ({ headers }, response) => {
      shown = headers.authorization;
      response.end();
    };
    await isServiceAt(url);
    expect(shown).toBeUndefined();
  });
});
