/** Browser sessions over real sockets: the cookie under TLS, and event streams until the session closes. */
import { once } from "node:events";
import { type IncomingMessage, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRevocations } from "../../core/api-key.ts";
import { type HttpTestServer, openHttpTestServer } from "../../testing/http-test-server.test-aid.ts";
import { until } from "../../testing/until.test-aid.ts";
import { throwAwayCertificate } from "../../testing/throw-away-certificate.ts";
import { createSessions, ownPageHeader, pageTokenHeader, type Sessions } from "./sessions.ts";

const { ca, credentials } = throwAwayCertificate();
const browser = { "sec-fetch-site": "same-origin", [ownPageHeader]: "1" };
let api: HttpTestServer;
let ports: { readonly plain: number; readonly secure: number };
beforeAll(async () => {
  let sessions: Sessions | undefined;
  api = await openHttpTestServer({
    web: {
      assets: { find: async () => undefined },
      get sessions() {
        return (sessions ??= createSessions(api.context));
      },
      freeBytes: async () => 5_000_000_000,
      addresses: () => ({ url: "http://localhost", smtp: null, mailDomain: "m.test" }),
      version: "1.2.3",
      cookie: { isSecure: false, basePath: "" },
    },
  });
  ports = {
    plain: await listening(api.app.createListener()),
    secure: await listening(api.app.createSecureListener(credentials)),
  };
});
afterAll(async () => api[Symbol.asyncDispose]());

async function listening(listener: ReturnType<HttpTestServer["app"]["createListener"]>): Promise<number> {
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  return (listener.address() as AddressInfo).port;
}

async function ask(line: string, headers: Record<string, string>, scheme: "http" | "https"): Promise<IncomingMessage> {
  const [method = "", path = ""] = line.split(" ");
  const shared = { method, path, host: "localhost", family: 4, agent: false, headers: { ...browser, ...headers } };
  const request =
    scheme === "http"
      ? httpRequest({ ...shared, port: ports.plain })
      : httpsRequest({ ...shared, port: ports.secure, ca });
  request.end();
  return ((await once(request, "response")) as [IncomingMessage])[0];
}

/** Returns the headers of a session, and the whole Set-Cookie field that opened it. */
interface SignedIn {
  readonly line: string;
  readonly headers: { readonly cookie: string; readonly [pageTokenHeader]: string };
}

async function signIn(scheme: "http" | "https"): Promise<SignedIn> {
  const reply = await ask("POST /web/session", { authorization: `Bearer ${api.accountKey}` }, scheme);
  const { pageToken } = (await json(reply)) as { readonly pageToken: string };
  const line = String(reply.headers["set-cookie"]);
  return { line, headers: { cookie: line.split(";")[0] ?? "", [pageTokenHeader]: pageToken } };
}

test("sets the Secure attribute of the cookie over TLS only", async () => {
  expect((await signIn("https")).line).toMatch(/; Secure$/);
  expect((await signIn("http")).line).not.toContain("Secure");
});

test("closes the session's event streams within 15 seconds of signing out on another node", async () => {
  const server = await api.addServer();
  const { headers } = await signIn("http");
  const reply = await ask(`GET /api/events?server=${server.id}`, headers, "http");
  let hasEnded = false;
  reply.on("end", () => (hasEnded = true)).resume();
  await until(() => api.clock.appointmentCount > 0);
  const elsewhere = createSessions({ ...api.context, revocations: createRevocations() });
  await elsewhere.close({ cookie: headers.cookie.split("=")[1] ?? "", page: headers[pageTokenHeader] });
  api.clock.advance(14_999);
  await api.ask("GET /healthz");
  expect(hasEnded).toBe(false);
  api.clock.advance(1);
  await until(() => hasEnded);
});

test("closes the session's event streams on signing out, and no others", async () => {
  const server = await api.addServer();
  const open = async ({ headers }: SignedIn): Promise<{ text: string; hasEnded: boolean }> => {
    const reply = await ask(`GET /api/events?server=${server.id}`, headers, "http");
    const stream = { text: "", hasEnded: false };
    reply.setEncoding("utf8");
    reply.on("data", (text: string) => (stream.text += text));
    reply.on("end", () => (stream.hasEnded = true));
    reply.on("error", () => undefined);
    return stream;
  };
  const [closing, remaining] = [await signIn("http"), await signIn("http")];
  const [ended, other] = await Promise.all([open(closing), open(remaining)]);
  (await ask("DELETE /web/session", closing.headers, "http")).resume();
  await until(() => ended.hasEnded);
  await api.deliver(server);
  await until(() => other.text.includes("event: received"));
  expect([ended.text.includes("event:"), other.hasEnded]).toEqual([false, false]);
  (await ask("DELETE /web/session", remaining.headers, "http")).resume();
  await until(() => other.hasEnded);
});
