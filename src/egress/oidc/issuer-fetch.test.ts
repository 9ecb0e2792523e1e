import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { startHttpListener, type HttpListener } from "../../testing/http-listener.ts";
import {
  createIssuerFetch,
  issuerPauseMs,
  issuerRequestMsMax,
  issuerResponseBytesMax,
  type IssuerFetch,
} from "./issuer-fetch.ts";

let server: HttpListener;
let status: number;
let clock: FakeClock;
let issuerFetch: IssuerFetch;
const bodies: Readonly<Record<string, string>> = {
  "/largest": "x".repeat(issuerResponseBytesMax),
  "/too-large": "x".repeat(issuerResponseBytesMax + 1),
};
beforeAll(async () => {
  server = await startHttpListener(({ path }) => ({ status, body: bodies[path] ?? "{}" }));
});
afterAll(async () => server[Symbol.asyncDispose]());
beforeEach(() => {
  status = 200;
  clock = new FakeClock();
  issuerFetch = createIssuerFetch(clock);
});

test("reads responses up to the bound, and rejects larger ones", async () => {
  expect(await (await issuerFetch(`${server.url}/largest`)).text()).toHaveLength(issuerResponseBytesMax);
  for (const method of ["GET", "POST"]) {
    await expect(issuerFetch(`${server.url}/too-large`, { method })).rejects.toThrow("is too large");
  }
});

test("follows no redirect", async () => {
  status = 302;
  const before = server.requests.length;
  await expect(issuerFetch(`${server.url}/moved`)).rejects.toThrow("answered with the status 302");
  expect((await issuerFetch(`${server.url}/moved`, { method: "POST", body: "code=1" })).status).toBe(302);
  expect(server.requests.slice(before).map(({ method }) => method)).toEqual(["GET", "POST"]);
});

test("requests a document that failed again after the pause only, and others at once", async () => {
  status = 500;
  const url = `${server.url}/keys`;
  const before = server.requests.length;
  const count = (): number => server.requests.length - before;
  await expect(issuerFetch(url)).rejects.toThrow("status 500");
  clock.advance(issuerPauseMs - 1);
  await expect(issuerFetch(url)).rejects.toThrow("status 500");
  expect(count()).toBe(1);
  await expect(issuerFetch(`${server.url}/other`)).rejects.toThrow("status 500");
  // Requests with credentials are those of users who sign in.
  expect((await issuerFetch(url, { headers: { authorization: "Bearer t" } })).status).toBe(500);
  expect((await issuerFetch(url, { method: "POST" })).status).toBe(500);
  expect(count()).toBe(4);
  clock.advance(1);
  status = 200;
  expect((await issuerFetch(url)).status).toBe(200);
  expect((await issuerFetch(url)).status).toBe(200);
  expect(count()).toBe(6);
});

test("ends a request after the longest time, or when its caller does", async () => {
  const own = new AbortController();
  const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(own.signal);
  try {
    own.abort(new Error("too late"));
    await expect(issuerFetch(`${server.url}/late`)).rejects.toThrow("too late");
    expect(timeout).toHaveBeenCalledWith(issuerRequestMsMax);
    timeout.mockReturnValue(new AbortController().signal);
    const signal = AbortSignal.abort(new Error("gone"));
    await expect(issuerFetch(`${server.url}/gone`, { signal })).rejects.toThrow("gone");
  } finally {
    timeout.mockRestore();
  }
});
