import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DnsFault, type Lookup } from "../../authentication/dns.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { blockListMsMax, createScreening, isOwnDomain, type ScreeningRules } from "./screen-recipient.ts";

const rules: ScreeningRules = {
  domain: "corp.example",
  blockLists: [],
  greylistMs: null,
  recipientCountPerNetworkPerMinuteMax: 1_000_000,
};
const client = "8.51.100.7";
const recipient = { clientAddress: client, mailFrom: "a@sender.example", address: "x@corp.example" };
const countMax = 100;
const noLookup: Lookup = () => Promise.reject(new Error("DNS was queried"));

function screening(changes: Partial<ScreeningRules>, lookup: Lookup = noLookup) {
  const clock = new FakeClock();
  return { clock, screen: createScreening({ ...rules, ...changes }, { clock, lookup, countMax }) };
}

describe("relaying", () => {
  test.each([
    ["x@corp.example", true],
    ["x@CORP.Example", true],
    ["x@abcd1234.corp.example", true],
    ["postmaster", true],
    ["Postmaster", true],
    ["root", false],
    ["x@example", false],
    ["x@other.example", false],
    ["x@corp.example.other.example", false],
    ["x@evilcorp.example", false],
    ["x@abcd1234.localhost", false],
    ["x@[127.0.0.1]", false],
    ['"x@corp.example"@other.example', false],
    ["x%other.example@corp.example", true],
    ["x@corp.example@other.example", false],
    ["x@", false],
  ])("%s is in a domain of the service: %s", async (address, isOwn) => {
    const { screen } = screening({});
    expect(await screen({ ...recipient, address })).toEqual(isOwn ? null : { kind: "relay_denied" });
  });

  test("takes no address whose domain does not end with the mail domain", () => {
    const labels = fc.array(fc.stringMatching(/^[a-zA-Z0-9-]{1,12}$/), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(labels, fc.string(), (domain, local) => {
        const name = domain.join(".");
        const isOwn = /(?:^|\.)corp\.example$/i.test(name);
        expect(isOwnDomain(`${local}@${name}`, "corp.example")).toBe(isOwn);
      }),
    );
  });

  test("applies to clients of this machine too", async () => {
    const { screen } = screening({});
    expect(await screen({ ...recipient, clientAddress: "127.0.0.1", address: "x@other.example" })).toEqual({
      kind: "relay_denied",
    });
  });
});

describe("recipients per minute", () => {
  test("are counted by network, and answered alike beyond the limit", async () => {
    const { clock, screen } = screening({ recipientCountPerNetworkPerMinuteMax: 2 });
    const from = async (clientAddress: string, address = "x@corp.example") =>
      (await screen({ ...recipient, clientAddress, address }))?.kind ?? null;
    expect([await from("8.51.100.7"), await from("8.51.100.200")]).toEqual([null, null]);
    expect([await from("8.51.100.9"), await from("8.51.100.9", "x@other.example")]).toEqual([
      "too_many_recipients",
      "too_many_recipients",
    ]);
    expect(await from("8.51.101.7")).toBeNull();
    expect([await from("2a00:1:2:3::1"), await from("2a00:1:2:ffff::1"), await from("2a00:1:2::1")]).toEqual([
      null,
      null,
      "too_many_recipients",
    ]);
    clock.advance(60_000);
    expect(await from("8.51.100.7")).toBeNull();
  });
});

describe("block lists", () => {
  const blockLists = ["one.example", "two.example"];
  const absent = new DnsFault("absent", "no record");

  test("reject a client that one of them lists, and name the first one", async () => {
    const lookup: Lookup = async (name) => {
      if (name === "7.100.51.8.two.example") return ["127.0.0.2"];
      throw absent;
    };
    const { screen } = screening({ blockLists }, lookup);
    expect(await screen(recipient)).toEqual({ kind: "listed", list: "two.example" });
    expect(await screen({ ...recipient, clientAddress: "8.51.100.8" })).toBeNull();
  });

  test.each([
    ["an answer outside of 127.0.0.0/8", ["203.0.113.9"]],
    ["the answer to a resolver that may not ask", ["127.255.255.254"]],
  ])("accept a client after %s", async (_, answer) => {
    const { screen } = screening({ blockLists }, async () => answer);
    expect(await screen(recipient)).toBeNull();
  });

  test.each<readonly [fault: string, lookup: Lookup]>([
    ["fails", () => Promise.reject(new DnsFault("failed", "SERVFAIL"))],
    ["is turned off", () => Promise.reject(new DnsFault("timeout", "DNS is off"))],
    ["throws something else", () => Promise.reject(new RangeError("broken"))],
    ["answers with nothing", async () => []],
    ["answers with something else", async () => ["", "\0", "not an address", "127", "::1"]],
  ])("let a client in when the resolver %s, and still reject what another list names", async (_, broken) => {
    const isBroken = screening({ blockLists }, broken);
    expect(await isBroken.screen(recipient)).toBeNull();
    const { screen } = screening({ blockLists }, async (...query) =>
      query[0].endsWith(".two.example") ? ["127.0.0.2"] : broken(...query),
    );
    expect(await screen(recipient)).toEqual({ kind: "listed", list: "two.example" });
  });

  test("reject a client that one list names while another does not answer", async () => {
    const { clock, screen } = screening({ blockLists }, async (name) =>
      name.endsWith(".two.example") ? ["127.0.0.2"] : new Promise(() => undefined),
    );
    const verdict = screen(recipient);
    await setImmediate();
    clock.advance(blockListMsMax);
    expect(await verdict).toEqual({ kind: "listed", list: "two.example" });
  });

  test("are asked once about a client within a quarter of an hour, and not about private addresses", async () => {
    const asked: string[] = [];
    const lookup: Lookup = async (name) => {
      asked.push(name);
      throw absent;
    };
    const { clock, screen } = screening({ blockLists }, lookup);
    await Promise.all([screen(recipient), screen(recipient)]);
    expect(await screen({ ...recipient, clientAddress: "10.0.0.1" })).toBeNull();
    expect(asked).toEqual(["7.100.51.8.one.example", "7.100.51.8.two.example"]);
    clock.advance(15 * 60_000);
    await screen(recipient);
    expect(asked).toHaveLength(4);
  });

  test("list nobody while they do not answer, and are asked again after a minute", async () => {
    let count = 0;
    const lookup: Lookup = async () => {
      count += 1;
      return new Promise(() => undefined);
    };
    const { clock, screen } = screening({ blockLists: ["one.example"] }, lookup);
    const verdict = screen(recipient);
    clock.advance(blockListMsMax);
    expect(await verdict).toBeNull();
    expect([await screen(recipient), count]).toEqual([null, 1]);
    clock.advance(60_000);
    const again = screen(recipient);
    clock.advance(blockListMsMax);
    expect([await again, count]).toEqual([null, 2]);
    expect(clock.appointmentCount).toBe(0);
  });
});

describe("greylisting", () => {
  test("defers the first attempts of a triple, and accepts it afterwards", async () => {
    const { clock, screen } = screening({ greylistMs: 60_000 });
    expect(await screen(recipient)).toEqual({ kind: "greylisted", waitMs: 60_000 });
    clock.advance(59_000);
    expect(await screen({ ...recipient, clientAddress: "8.51.100.9" })).toEqual({ kind: "greylisted", waitMs: 1000 });
    clock.advance(1000);
    expect(await screen(recipient)).toBeNull();
    expect(await screen({ ...recipient, mailFrom: "b@sender.example" })).toMatchObject({ kind: "greylisted" });
    expect(await screen({ ...recipient, clientAddress: "10.0.0.1", mailFrom: "b@sender.example" })).toBeNull();
  });

  test("tells networks apart by /24 of IPv4 and /64 of IPv6", async () => {
    const { clock, screen } = screening({ greylistMs: 1000 });
    const isDeferred = async (clientAddress: string): Promise<boolean> =>
      (await screen({ ...recipient, clientAddress })) !== null;
    for (const address of ["8.51.100.7", "2a00:1:2:3::1"]) await isDeferred(address);
    clock.advance(1000);
    const attempts = ["8.51.100.255", "::ffff:8.51.100.1", "8.51.101.7", "2a00:1:2:3:ffff::", "2a00:1:2:4::1"];
    const deferred = await Promise.all(attempts.map(isDeferred));
    expect(deferred).toEqual([false, false, true, false, true]);
  });

  test("forgets triples that stay away for 36 days, and the oldest of too many", async () => {
    const { clock, screen } = screening({ greylistMs: 1000 });
    await screen(recipient);
    clock.advance(36 * 24 * 3_600_000);
    expect(await screen(recipient)).toMatchObject({ kind: "greylisted" });
    clock.advance(1000);
    for (let count = 0; count < countMax; count += 1) {
      void screen({ ...recipient, mailFrom: `${String(count)}@sender.example` });
    }
    expect(await screen(recipient)).toMatchObject({ kind: "greylisted" });
  });
});
