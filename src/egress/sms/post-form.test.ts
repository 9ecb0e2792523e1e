import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createTargetPolicy, type TargetPolicy } from "../../core/outgoing-target.ts";
import { postForm } from "./post-form.ts";

/** Starts a server that counts connections and responds with `body`. */
async function listen(body = ""): Promise<{ port: number; connections: () => number }> {
  let connections = 0;
  const server = createServer((_request, response) => response.end(body)).listen(0, "127.0.0.1");
  server.on("connection", () => (connections += 1));
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

const form = { ownOrigins: null, body: "a=b", headers: {}, responseBytesMax: 10 } as const;
const listed = (origin: string): TargetPolicy => createTargetPolicy({ origins: [origin], allowsLoopback: false });

test("connects to the checked address without resolving the host again", async () => {
  const { port, connections } = await listen("0123456789abcdef");
  const asked: string[] = [];
  const answers = [["127.0.0.1"], ["169.254.169.254"]];
  const resolve = async (host: string): Promise<readonly string[]> => {
    asked.push(host);
    return answers.shift() ?? [];
  };
  const origin = `http://hook.localhost:${String(port)}`;
  const answer = await postForm({ ...form, url: `${origin}/x` }, { policy: listed(origin), resolve });
  expect(answer).toEqual({ status: 200, contentType: "", body: "0123456789" });
  expect([asked, connections()]).toEqual([["hook.localhost"], 1]);
});

test.each([
  ["http://hooks.corp.example", ["127.0.0.1"]],
  ["http://hooks.corp.example", ["10.0.0.1", "169.254.169.254"]],
  ["http://hooks.corp.example", ["::ffff:127.0.0.1"]],
  ["http://hooks.corp.example", ["2002:7f00:1::"]],
  ["http://hooks.corp.example", ["64:ff9b::127.0.0.1"]],
  ["http://hooks.corp.example", ["fd00:ec2::254"]],
])("fails permanently for %s when its host has the addresses %j", async (origin, addresses) => {
  const { port, connections } = await listen();
  const url = `${origin}:${String(port)}`;
  const call = postForm({ ...form, url }, { policy: listed(url), resolve: async () => addresses });
  await expect(call).rejects.toMatchObject({ name: "DeliveryFailure", verdict: "fail" });
  expect(connections()).toBe(0);
});

test("refuses a target outside of the list without a DNS query", async () => {
  const { port, connections } = await listen();
  const resolve = async (): Promise<never> => {
    throw new Error("asked the DNS");
  };
  const call = postForm(
    { ...form, url: `http://127.0.0.1:${String(port)}` },
    { policy: listed("http://app:1"), resolve },
  );
  await expect(call).rejects.toThrow(/not allowed/);
  expect(connections()).toBe(0);
});

test("retries when the host has no address or DNS fails", async () => {
  const policy = listed("http://app:1");
  for (const resolve of [async () => [], async () => Promise.reject(new Error("SERVFAIL"))]) {
    await expect(postForm({ ...form, url: "http://app:1" }, { policy, resolve })).rejects.toMatchObject({
      verdict: "retry",
    });
  }
});
