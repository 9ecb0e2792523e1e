import { describe, expect, test } from "vitest";
import { queryBlockLists, findSenderRecords } from "./block-lists.ts";
import { DnsFault, openDns, type Lookup, readTags } from "./dns.ts";
import { openNameServer, textRecord } from "../testing/name-server.test-aid.ts";

const zoneOf = (zone: string): Lookup => openDns({ kind: "fixtures", zone }, 5000);
const kindOf = async (answer: Promise<unknown>): Promise<string> =>
  answer.then(
    () => "answered",
    (error: unknown) => (error instanceof DnsFault ? error.kind : "another error"),
  );

describe("openDns", () => {
  test("uses only the zone when the source is fixtures", async () => {
    const lookup = zoneOf("a.example. TXT one\na.example. TXT two");
    expect(await lookup("A.example", "TXT")).toEqual(["one", "two"]);
    expect(await kindOf(lookup("a.example", "A"))).toBe("absent");
    expect(await kindOf(lookup("gmail.com", "MX"))).toBe("absent");
  });

  test("times out at once when the source is off", async () => {
    expect(await kindOf(openDns({ kind: "off" }, 5000)("a.example", "A"))).toBe("timeout");
  });

  test("sends at most 150 different queries for one report, and each once", async () => {
    const lookup = zoneOf("*.a.example. A 192.0.2.1");
    for (let count = 0; count < 150; count += 1) await lookup(`n${count}.a.example`, "A");
    expect(await kindOf(lookup("n0.A.example", "A"))).toBe("answered");
    expect(await kindOf(lookup("n150.a.example", "A"))).toBe("failed");
  });

  test("returns the records of a resolver, and absent for names that do not exist", async () => {
    await using server = await openNameServer((name) =>
      name.startsWith("absent") ? null : [textRecord("v=spf1 -all")],
    );
    const lookup = openDns({ kind: "servers", servers: [server.address] }, 5000);
    expect(await lookup("a.example", "TXT")).toEqual(["v=spf1 -all"]);
    expect(await kindOf(lookup("absent.example", "TXT"))).toBe("absent");
  });

  test("times out at the deadline when the resolver does not answer, and sends no query afterwards", async () => {
    const queried: string[] = [];
    await using server = await openNameServer((name) => void queried.push(name));
    const lookup = openDns({ kind: "servers", servers: [server.address] }, 150);
    expect(await kindOf(lookup("a.example", "TXT"))).toBe("timeout");
    expect(await kindOf(lookup("b.example", "TXT"))).toBe("timeout");
    expect(queried.length).toBeGreaterThan(0);
    expect(queried.filter((name) => name.startsWith("b"))).toEqual([]);
  });
});

describe("block lists", () => {
  test("return Fail, Pass or Warning for an address", async () => {
    const lookup = zoneOf(`
7.100.51.8.zen.spamhaus.org. A 127.0.0.2
7.100.51.8.bl.spamcop.net. A 127.255.255.254
7.100.51.8.psbl.surriel.com. A 203.0.113.1
`);
    const found = await queryBlockLists("8.51.100.7", lookup);
    expect(found.map(({ id, result }) => [id, result])).toEqual([
      ["zen.spamhaus.org", "Fail"],
      ["bl.spamcop.net", "Warning"],
      ["b.barracudacentral.org", "Pass"],
      ["psbl.surriel.com", "Warning"],
      ["dnsbl.dronebl.org", "Pass"],
    ]);
    expect(found.every(({ name }) => name !== "")).toBe(true);
  });

  test("are queried by nibbles for IPv6, and time out independently", async () => {
    const asked: string[] = [];
    const found = await queryBlockLists("2606:4700::1", (name) => {
      asked.push(name);
      return Promise.reject(new DnsFault("timeout", ""));
    });
    expect(asked[0]).toBe(`1${".0".repeat(23)}.0.0.7.4.6.0.6.2.zen.spamhaus.org`);
    expect(new Set(found.map(({ result }) => result))).toEqual(new Set(["Timeout"]));
  });

  test.each(["127.0.0.1", "10.1.2.3", "::1", "fd00::1", null, "nonsense"])(
    "are not queried for %s, and still give a result",
    async (address) => {
      const found = await queryBlockLists(address, () => {
        throw new Error("asked");
      });
      expect(found.map(({ result }) => result)).toEqual(["Pass", "Pass", "Pass", "Pass", "Pass"]);
    },
  );
});

describe("records of a sender", () => {
  test("are addresses, mail hosts by preference, and names of the client's address", async () => {
    const lookup = zoneOf(`
a.example. A 192.0.2.1
a.example. AAAA 2001:db8::1
a.example. MX 20 two.a.example.
a.example. MX 10 one.a.example.
7.100.51.198.in-addr.arpa. PTR mx.a.example.
`);
    expect(await findSenderRecords({ domain: "a.example", clientAddress: "198.51.100.7" }, lookup)).toEqual({
      a: ["192.0.2.1", "2001:db8::1"],
      mx: ["one.a.example", "two.a.example"],
      ptr: ["mx.a.example"],
    });
  });

  test("are empty for unknown names, and a missing name is not queried", async () => {
    const nothing = { a: [], mx: [], ptr: [] };
    expect(await findSenderRecords({ domain: "b.example", clientAddress: "::1" }, zoneOf(""))).toEqual(nothing);
    expect(
      await findSenderRecords({ domain: null, clientAddress: null }, () => Promise.reject(new Error("asked"))),
    ).toEqual(nothing);
  });
});

test("readTags parses records of every kind and uses the first of equal names", () => {
  expect(readTags("v=DKIM1; k=rsa; p=a=b; k=x;")).toEqual({ v: "DKIM1", k: "rsa", p: "a=b" });
  expect(readTags("v=spf1 a mx redirect=_spf.a.example ~all")).toEqual({
    v: "spf1",
    redirect: "_spf.a.example",
    all: "~",
  });
  expect(readTags("v=spf1 all")).toEqual({ v: "spf1", all: "+" });
  expect(readTags("")).toEqual({});
  expect(readTags("__proto__=x; constructor=y")).toEqual(
    Object.fromEntries([
      ["__proto__", "x"],
      ["constructor", "y"],
    ]),
  );
});
