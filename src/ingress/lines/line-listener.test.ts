import { afterEach, describe, expect, test } from "vitest";
import { contentArrival } from "../../core/arrival-rate.ts";
import { defaultLimits } from "../../core/limits.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { LineClient } from "../../testing/line-client.test-aid.ts";
import type { LineConnection } from "./line-connection.ts";
import { startLineListener, type LineListenerOptions, sessionBounds } from "./line-listener.ts";
import type { OpenListener } from "./session-listener.ts";

let clock: FakeClock;
let refusals: string[];
let read: { bytes: number };
let listener: OpenListener;

/** Greets, and answers each line; `in` signs in, `read` reads so many bytes. */
async function converse(connection: LineConnection): Promise<void> {
  await connection.write("hello\r\n");
  for (;;) {
    const line = await connection.readLine();
    if (line.kind === "end") return;
    const [, count] = /^read (\d+)$/.exec(line.kind === "line" ? line.text : "") ?? [];
    if (count !== undefined) {
      await connection.write("go\r\n");
      for await (const chunk of connection.readBytes(Number(count))) read.bytes += chunk.length;
      continue;
    }
    const isSignIn = line.kind === "line" && line.text === "in";
    await connection.write(isSignIn && !connection.markAuthenticated() ? "full\r\n" : "ok\r\n");
  }
}

async function listen(bounds: Pick<LineListenerOptions, "anonymousSessions" | "authenticatedSessions">): Promise<void> {
  [clock, refusals, read] = [new FakeClock(), [], { bytes: 0 }];
  listener = await startLineListener({
    ...bounds,
    protocol: "test",
    hosts: ["127.0.0.1"],
    port: 0,
    implicitTls: false,
    secureContext: () => undefined,
    lineBytesMax: 100,
    idleMsMax: 60_000,
    authenticatedIdleMsMax: 60_000,
    writeMsMax: 60_000,
    signInMsMax: 90_000,
    refusal: "too many\r\n",
    clock,
    log: { debug: () => undefined, error: () => undefined },
    metrics: {
      sessionOpened: () => undefined,
      sessionClosed: () => undefined,
      refused: (reason) => refusals.push(reason),
    },
    onTlsFailure: () => undefined,
    runSession: converse,
  });
}

const of = (anonymous: number, authenticated: number): Parameters<typeof listen>[0] => ({
  anonymousSessions: { countMax: anonymous, countPerAddressMax: anonymous },
  authenticatedSessions: { countMax: authenticated, countPerAddressMax: authenticated },
});
const open = async (): Promise<LineClient> => LineClient.open(listener.port);

afterEach(async () => {
  await listener.close();
});

describe("a listener of a protocol of lines", () => {
  test("greets a connection over the bound when another one signs in or leaves", async () => {
    await listen(of(1, 10));
    await using first = await open();
    expect(await first.line()).toBe("hello");
    await using second = await open();
    const third = await open();
    expect(await first.ask("in")).toBe("ok");
    expect(await second.line()).toBe("hello");
    second.end();
    expect(await third.line()).toBe("hello");
    await third[Symbol.asyncDispose]();
    expect(await first.ask("still")).toBe("ok");
    expect(refusals).toEqual([]);
  });

  test("refuses a connection that has waited for ten seconds", async () => {
    await listen(of(1, 10));
    await using first = await open();
    await first.line();
    await using second = await open();
    const refusal = second.line();
    await expect.poll(() => clock.appointmentCount).toBeGreaterThan(1);
    clock.advance(9000);
    expect(await first.ask("x")).toBe("ok");
    expect(refusals).toEqual([]);
    clock.advance(1000);
    expect(await refusal).toBe("too many");
    expect(refusals).toEqual(["too_many_sessions"]);
    expect(await first.ask("x")).toBe("ok");
  });

  test("refuses connections that wait when it closes", async () => {
    await listen(of(1, 10));
    await using first = await open();
    await first.line();
    await using second = await open();
    const refusal = second.line();
    await expect.poll(() => clock.appointmentCount).toBeGreaterThan(1);
    await listener.close();
    expect(await refusal).toBe("too many");
  });

  test("closes a session that nobody signed in to after signInMsMax, however often it sends a byte", async () => {
    await listen(of(2, 10));
    await using slow = await open();
    await using member = await open();
    expect([await slow.line(), await member.line(), await member.ask("in")]).toEqual(["hello", "hello", "ok"]);
    for (let second = 0; second < 90; second += 15) {
      expect(await slow.ask("x")).toBe("ok");
      expect(await member.ask("x")).toBe("ok");
      for (let step = 0; step < 15; step += 1) clock.advance(1000);
    }
    expect(await slow.ask("x")).toBe("ok");
    for (let step = 0; step < 3; step += 1) clock.advance(1000);
    expect(await slow.line()).toBeNull();
    expect(await member.ask("x")).toBe("ok");
  });

  test("stops waiting for bytes that arrive too slowly", async () => {
    await listen(of(2, 10));
    const count = 10 * contentArrival.bytesMin;
    await using slow = await open();
    expect([await slow.line(), await slow.ask("in"), await slow.ask(`read ${count}`)]).toEqual(["hello", "ok", "go"]);
    slow.send("x".repeat(contentArrival.bytesMin));
    await expect.poll(() => read.bytes).toBe(contentArrival.bytesMin);
    clock.advance(contentArrival.periodMs);
    slow.send("x".repeat(contentArrival.bytesMin - 1));
    await expect.poll(() => read.bytes).toBe(2 * contentArrival.bytesMin - 1);
    clock.advance(contentArrival.periodMs);
    expect(await slow.line()).toBeNull();
    expect(read.bytes).toBe(2 * contentArrival.bytesMin - 1);
  });

  test("keeps a session over the bound of authenticated ones anonymous until another one leaves", async () => {
    await listen(of(2, 1));
    const first = await open();
    await using second = await open();
    expect([await first.line(), await second.line()]).toEqual(["hello", "hello"]);
    expect([await first.ask("in"), await second.ask("in")]).toEqual(["ok", "full"]);
    first.end();
    await expect.poll(() => listener.sessionCount).toBe(1);
    expect(await second.ask("in")).toBe("ok");
    await first[Symbol.asyncDispose]();
  });

  test("serves 1000 clients of one address that connect at once and stay, with the default limits", async () => {
    await listen(sessionBounds(defaultLimits));
    const clients = await Promise.all(
      Array.from({ length: 1000 }, async () => {
        const client = await open();
        return [client, await client.line(), await client.ask("in")] as const;
      }),
    );
    const responses = new Set(clients.flatMap(([, ...lines]) => lines));
    expect([responses, listener.sessionCount, refusals]).toEqual([new Set(["hello", "ok"]), 1000, []]);
    await Promise.all(clients.map(async ([client]) => client[Symbol.asyncDispose]()));
  });
});
