import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { FakeClock } from "../testing/fake-clock.ts";
import { throwAwayCertificate } from "../testing/throw-away-certificate.ts";
import { fetchPolicy, requestWithin } from "./limited-request.ts";

const certificate = throwAwayCertificate();

/** Runs an action with the port of a server. */
async function withServer<Result>(
  respond: RequestListener,
  action: (port: number) => Promise<Result>,
  isSecure = false,
): Promise<Result> {
  const server = isSecure ? createSecureServer(certificate.credentials, respond) : createServer(respond);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    return await action((server.address() as AddressInfo).port);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const bounds = { method: "GET", msMax: 1000, bytesMax: 10 } as const;
const urlOf = (port: number): URL => new URL(`http://127.0.0.1:${String(port)}/`);

describe("requestWithin", () => {
  test("returns a body of the largest size, and rejects one that is larger", async () => {
    const ask = async (length: number) =>
      withServer(
        (_, response) => response.end("x".repeat(length)),
        async (port) => requestWithin(urlOf(port), bounds, new FakeClock()),
      );
    expect((await ask(10)).body.toString()).toBe("xxxxxxxxxx");
    await expect(ask(11)).rejects.toThrow(/larger than 10 bytes/);
  });

  test("rejects when no response begins in time", async () => {
    const clock = new FakeClock();
    const asked = withServer(
      () => clock.advance(1000),
      async (port) => requestWithin(urlOf(port), bounds, clock),
    );
    await expect(asked).rejects.toThrow(/did not answer within 1000 ms/);
    expect(clock.appointmentCount).toBe(0);
  });

  test("rejects a response that does not end in time, and follows no redirects", async () => {
    const clock = new FakeClock();
    const asked = withServer(
      (_, response) => {
        response.write("x", () => clock.advance(1000));
      },
      async (port) => requestWithin(urlOf(port), bounds, clock),
    );
    await expect(asked).rejects.toThrow(/incomplete|did not answer/);
    const moved = withServer(
      (_, response) => response.writeHead(302, { location: "http://192.0.2.1/" }).end(),
      async (port) => requestWithin(urlOf(port), bounds, new FakeClock()),
    );
    expect((await moved).status).toBe(302);
  });
});

describe("fetchPolicy", () => {
  const get = async (respond: RequestListener, ca: string | null = certificate.ca): Promise<string> =>
    withServer(
      respond,
      async (port) =>
        fetchPolicy({ url: `https://mailosaur.com:${String(port)}/`, address: "127.0.0.1", ca }, new FakeClock()),
      true,
    );

  test("returns the text of a server whose certificate is valid", async () => {
    expect(await get((_, response) => response.end("version: STSv1\r\n"))).toBe("version: STSv1\r\n");
  });

  test("rejects other statuses, and certificates that are not trusted", async () => {
    await expect(get((_, response) => response.writeHead(404).end())).rejects.toThrow("the status is 404, not 200");
    await expect(get((_, response) => response.end("x"), null)).rejects.toThrow(/certificate/);
  });
});
