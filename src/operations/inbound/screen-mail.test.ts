import fc from "fast-check";
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { DnsFault, type Lookup } from "../../authentication/dns.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import {
  type ScreeningRules,
  type TripleAges,
  blockListMsMax,
  createScreening,
  createSharedTriples,
  isOwnDomain,
  judgeSender,
} from "./screen-mail.ts";
import { Problem } from "../../core/errors.ts";
import type { Store } from "../../store/store.ts";
import { type HttpTestServer, openHttpTestServer } from "../../testing/http-test-server.test-aid.ts";
import type { Arrival, SenderVerdicts } from "../../core/smtp-session.ts";
import type { ServerId } from "../../core/ids.ts";
import { defaultLimits } from "../../core/limits.ts";
import { createSigner, signMail } from "../../testing/sign-mail.ts";
import type { Context } from "../context.ts";
import { inspectMail, type Inspection } from "../services/inspection/inspection.ts";

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

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
let api: HttpTestServer;
let store: Store;
let clock: FakeClock;
/** Two nodes on one store. */
let [one, other]: readonly TripleAges[] = [];
/** Key of a triple of each test. */
let key: string;

beforeAll(async () => {
  api = await openHttpTestServer();
  ({ clock } = api);
  ({ store } = api.context);
  [one, other] = [createSharedTriples(store.providerObjects, clock), createSharedTriples(store.providerObjects, clock)];
});
afterAll(async () => api[Symbol.asyncDispose]());
beforeEach(() => {
  key = crypto.randomUUID().replaceAll("-", "");
});

describe("triples in the store", () => {
  test("have one first attempt on all nodes", async () => {
    expect(await one?.(key)).toBe(0);
    clock.advance(hourMs);
    expect(await other?.(key)).toBe(hourMs);
    expect(await other?.(`x${key}`)).toBe(0);
  });

  test("are forgotten after two days when they do not come back, else after 36", async () => {
    await one?.(key);
    clock.advance(2 * dayMs - 1);
    expect(await other?.(key)).toBe(2 * dayMs - 1);
    clock.advance(36 * dayMs - 1);
    expect(await one?.(key)).toBe(38 * dayMs - 2);
    clock.advance(36 * dayMs);
    expect(await one?.(key)).toBe(0);
    clock.advance(2 * dayMs);
    expect(await one?.(key)).toBe(0);
  });

  test("are written once a day at most when they come back", async () => {
    const writes: number[] = [];
    const counted = createSharedTriples(
      {
        getObject: async (...given) => store.providerObjects.getObject(...given),
        putObject: async (change) => {
          writes.push(change.now);
          return store.providerObjects.putObject(change);
        },
      },
      clock,
    );
    for (let hour = 0; hour < 48; hour += 1) {
      await counted(key);
      clock.advance(hourMs);
    }
    expect(writes).toHaveLength(3);
  });

  test("have the first attempt of the faster of two nodes", async () => {
    const [first, second] = [createSharedTriples(store.providerObjects, clock), one];
    expect(await Promise.all([first(key), second?.(key)])).toEqual([0, 0]);
    clock.advance(1000);
    expect(await first(key)).toBe(1000);
  });

  test("count as known when there are too many", async () => {
    const full = createSharedTriples(
      { getObject: async () => undefined, putObject: () => Promise.reject(new Problem("limit_reached")) },
      clock,
    );
    expect(await full(key)).toBe(Infinity);
  });

  test("reject as the store does", async () => {
    const failure = new Problem("unavailable");
    const away = createSharedTriples(
      { getObject: async () => undefined, putObject: () => Promise.reject(failure) },
      clock,
    );
    await expect(away(key)).rejects.toBe(failure);
  });
});

test("a second attempt at another node is accepted, and the wait is never longer than the setting", async () => {
  const rules = {
    domain: "corp.example",
    blockLists: [],
    greylistMs: 60_000,
    recipientCountPerNetworkPerMinuteMax: 100,
  };
  const lookup = () => Promise.reject(new Error("DNS was queried"));
  const [a, b] = [one, other].map((tripleAges) =>
    createScreening(rules, { clock, lookup, ...(tripleAges && { tripleAges }) }),
  );
  const recipient = { clientAddress: "8.51.100.7", mailFrom: "a@sender.example", address: "x@corp.example" };
  expect(await a?.(recipient)).toEqual({ kind: "greylisted", waitMs: 60_000 });
  // The clock of the other node is behind.
  clock.stepWall(-5000);
  expect(await b?.(recipient)).toEqual({ kind: "greylisted", waitMs: 60_000 });
  clock.stepWall(65_000);
  expect(await b?.(recipient)).toBeNull();
});

const server = "abcd1234" as ServerId;
const signer = createSigner("sender.example");
const zone = `
sender.example. TXT "v=spf1 ip4:8.51.100.7 -all"
soft.example. TXT "v=spf1 ~all"
_dmarc.sender.example. TXT "v=DMARC1; p=reject"
${signer.zoneLine}
`;
const mail = "From: a@sender.example\r\nSubject: Hi\r\n\r\nHello\r\n";
const signed = signMail(mail, signer, ["from", "subject"]);

function arrivalOf(changes: Partial<Arrival["session"]>, raw = mail, mailFrom = "a@sender.example"): Arrival {
  const session = { ehlo: "x", clientAddress: "8.51.100.7", protocol: "ESMTP", tls: null, authenticatedAs: null };
  const recipients = [{ address: "x@corp.example", server }];
  return { mailFrom, recipients, raw: Buffer.from(raw), session: { ...session, ...changes } };
}

/** Returns a context whose inspector works in this process. */
function contextWith(inspect: (raw: Uint8Array, inspection: Inspection) => Promise<unknown>, isOff = false): Context {
  return {
    store: { getZone: async () => (isOff ? undefined : zone) },
    settings: { dns: { kind: "off" } },
    inspector: { inspect: async (load: () => Promise<Uint8Array>, one: Inspection) => inspect(await load(), one) },
  } as unknown as Context;
}

const inspecting = contextWith(async (raw, inspection) => inspectMail(raw, inspection, defaultLimits));
const verdictsOf = async (arrival: Arrival): Promise<SenderVerdicts | undefined> =>
  (await judgeSender(inspecting, arrival)).session.verdicts;

describe("judgeSender", () => {
  test("passes a mail that is sent and signed as its domain says", async () => {
    expect(await verdictsOf(arrivalOf({}, signed))).toEqual({ spf: "pass", dkim: "pass", dmarc: "pass" });
  });

  test("fails a mail from another address whose content was changed", async () => {
    const forged = arrivalOf({ clientAddress: "8.51.100.8" }, signed.replace("Hello", "Goodbye"));
    expect(await verdictsOf(forged)).toEqual({ spf: "fail", dkim: "fail", dmarc: "fail" });
  });

  test("is neutral about a mail without signature and policy, and about soft failures", async () => {
    const soft = arrivalOf({}, mail.replace("sender.example", "soft.example"), "a@soft.example");
    expect(await verdictsOf(soft)).toEqual({ spf: "neutral", dkim: "neutral", dmarc: "neutral" });
  });

  test("judges no mail of senders with AUTH, and none where DNS is off", async () => {
    const broken = contextWith(() => Promise.reject(new Error("inspected")));
    const own = arrivalOf({ auth: { user: server, mechanism: "PLAIN" } });
    expect(await judgeSender(broken, own)).toBe(own);
    const off = contextWith(() => Promise.reject(new Error("inspected")), true);
    const other = arrivalOf({});
    expect(await judgeSender(off, other)).toBe(other);
  });

  test("does not defer mail that cannot be judged now", async () => {
    const busy = contextWith(() => Promise.reject(new Problem("too_many_requests")));
    const { session } = await judgeSender(busy, arrivalOf({}));
    expect(session.verdicts).toEqual({ spf: "unknown", dkim: "unknown", dmarc: "unknown" });
  });
});
