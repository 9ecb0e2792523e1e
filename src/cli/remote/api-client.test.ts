import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openApiClient, type ApiClient } from "./api-client.ts";

let server: Server;
let client: ApiClient;
let answer: (request: IncomingMessage, response: ServerResponse) => void;

beforeEach(async () => {
  server = createServer((request, response) => {
    answer(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  client = openApiClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, "the-key");
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function answerWith(status: number, body = "", headers: Record<string, string> = {}): void {
  answer = (_request, response) => response.writeHead(status, headers).end(body);
}

describe("isThere", () => {
  test.each([
    [200, {}],
    [401, { "www-authenticate": 'Basic realm="restante"' }],
  ] as const)("finds a service whose health answers with %i %j", async (status, headers) => {
    answerWith(status, "", headers);
    expect(await client.isThere()).toBe(true);
  });

  test.each([
    [404, {}],
    [401, { "www-authenticate": 'Basic realm="printer"' }],
  ] as const)("but not when another program answers with %i %j", async (status, headers) => {
    answerWith(status, "", headers);
    expect(await client.isThere()).toBe(false);
  });

  test("returns false when nothing listens", async () => {
    server.close();
    expect(await client.isThere()).toBe(false);
  });

  test("does not send the key", async () => {
    let shown: string | undefined = "not asked";
    answer = ({ headers }, response) => {
      shown = headers.authorization;
      response.end();
    };
    await client.isThere();
    expect(shown).toBeUndefined();
  });
});

describe("send", () => {
  test("sends the key and a JSON body, and returns the JSON of the response", async () => {
    answer = (request, response) => {
      const { method, url, headers } = request;
      request.setEncoding("utf8").on("data", (body: string) => {
        const { authorization, "content-type": type } = headers;
        response.end(JSON.stringify({ method, url, authorization, type, body }));
      });
    };
    expect(await client.send("POST", "/api/keys", { name: "CI" })).toEqual({
      method: "POST",
      url: "/api/keys",
      authorization: "Bearer the-key",
      type: "application/json",
      body: '{"name":"CI"}',
    });
  });

  test("returns undefined for a response without a body", async () => {
    answerWith(204);
    expect(await client.send("DELETE", "/api/keys/1")).toBeUndefined();
  });

  const validation = {
    type: "ValidationError",
    status: 400,
    message: "The request has invalid parameters",
    errors: [{ field: "name", detail: [{ description: "Names have at most 200 characters", code: "too_long" }] }],
  };
  test.each([
    [401, "{}", "Invalid API key; set RESTANTE_API_KEY to a key of this service"],
    [400, JSON.stringify(validation), "The request has invalid parameters; name: Names have at most 200 characters"],
    [404, '{"message":"Message not found","errors":[]}', "Message not found"],
    [502, "<html>Bad Gateway", "The service responded with status 502"],
  ])("rejects with the error message of a %i response", async (status, body, message) => {
    answerWith(status, body);
    await expect(client.send("GET", "/api/keys")).rejects.toThrow(message);
  });
});

test.each(['[{"name":"CI"}]', '{"items":[{"name":"CI"}]}'])("list returns the items of %s", async (body) => {
  answerWith(200, body);
  expect(await client.list("GET", "/api/keys")).toEqual([{ name: "CI" }]);
});
