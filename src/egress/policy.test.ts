import MimeNode from "nodemailer/lib/mime-node";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseAddressList } from "../mime/address-list.ts";
import { compileAllowed, isAllowed, isMailDomain, parseSingleAddress, routeOf, type AddressProblem } from "./policy.ts";

/** Text of any UTF-16 units, including lone surrogates. */
const anyText = fc.array(fc.nat({ max: 0xffff }), { maxLength: 40 }).map((units) => String.fromCharCode(...units));

const { allowed } = compileAllowed(
  ["alice@corp.example", "@team.example", "@xn--bcher-kva.example"],
  ["abcd1234.restante.test", "EFGH5678.restante.test"],
);

describe("parseSingleAddress", () => {
  test.each([
    ["alice@corp.example", "alice@corp.example"],
    ["Alice.B+tag@Corp.EXAMPLE", "Alice.B+tag@corp.example"],
    ["o'hara_1=2/3?{x}|y~z^`#$&*@a-b.example", "o'hara_1=2/3?{x}|y~z^`#$&*@a-b.example"],
    ["x@localhost", "x@localhost"],
    ["x@xn--bcher-kva.example", "x@xn--bcher-kva.example"],
    [`${"l".repeat(64)}@corp.example`, `${"l".repeat(64)}@corp.example`],
    [`x@${"d".repeat(63)}.example`, `x@${"d".repeat(63)}.example`],
  ])("parses %j as %j", (text, address) => {
    expect(parseSingleAddress(text)).toMatchObject({ address });
    expect(parseSingleAddress(address)).toMatchObject({ address });
  });

  test.each<[string, AddressProblem]>([
    ["", "empty"],
    [`x@${"a.".repeat(150)}example`, "too_long"],
    ["alice", "not_one_address"],
    ["a@evil.example,b@corp.example", "not_one_address"],
    ["alice@corp.example@evil.example", "not_one_address"],
    ["@corp.example:x@evil.example", "not_one_address"],
    ["a@evil.example, alice@corp.example", "forbidden_character"],
    [" alice@corp.example", "forbidden_character"],
    ["alice@corp.example ", "forbidden_character"],
    ["alice@corp.example\r\nRCPT TO:<x@evil.example>", "forbidden_character"],
    ["alice@corp.example\n", "forbidden_character"],
    ["alice\0@corp.example", "forbidden_character"],
    ["alice\t@corp.example", "forbidden_character"],
    ["alice\u007f@corp.example", "forbidden_character"],
    ["Alice <alice@corp.example>", "forbidden_character"],
    ["<alice@corp.example>", "invalid_local_part"],
    ['"alice"@corp.example', "invalid_local_part"],
    ['"alice@corp.example"@evil.example', "not_one_address"],
    ["alice(x)@corp.example", "invalid_local_part"],
    ["x%evil.example@corp.example", "invalid_local_part"],
    ["evil.example!x@corp.example", "invalid_local_part"],
    ["group:alice@corp.example;", "invalid_local_part"],
    [".alice@corp.example", "invalid_local_part"],
    ["alice.@corp.example", "invalid_local_part"],
    ["al..ice@corp.example", "invalid_local_part"],
    ["alice\\@corp.example", "invalid_local_part"],
    ["@corp.example", "invalid_local_part"],
    [`${"l".repeat(65)}@corp.example`, "invalid_local_part"],
    ["alice@", "invalid_domain"],
    ["alice@corp.example.", "invalid_domain"],
    ["alice@corp..example", "invalid_domain"],
    ["alice@.example", "invalid_domain"],
    ["alice@-corp.example", "invalid_domain"],
    ["alice@corp_x.example", "invalid_domain"],
    ["alice@[192.0.2.1]", "invalid_domain"],
    ["alice@1.2.3", "invalid_domain"],
    ["alice@0x7f.1", "invalid_domain"],
    ["alice@999.999", "invalid_domain"],
    ["alice@corp.example(x)", "invalid_domain"],
    ["alice@corp.example;x", "invalid_domain"],
    [`x@${"d".repeat(64)}.example`, "invalid_domain"],
    ["alice@cоrp.example", "not_ascii"],
    ["alice@corp。example", "not_ascii"],
    ["alice＠corp.example", "not_ascii"],
    ["alice@ｃorp.example", "not_ascii"],
    ["alice@corp.example\u200b", "not_ascii"],
    ["älice@corp.example", "not_ascii"],
    ["alice@corp.example\ud800", "not_ascii"],
  ])("rejects %j: %s", (text, problem) => {
    expect(parseSingleAddress(text)).toEqual({ problem });
  });

  test("takes linear time", () => {
    const cpuBefore = process.threadCpuUsage();
    for (const text of ["a".repeat(1e6), `${"a.".repeat(100)}@`, `a@${"a-".repeat(110)}`]) parseSingleAddress(text);
    expect(process.threadCpuUsage(cpuBefore).user / 1000).toBeLessThan(2000);
  });
});

describe("routeOf", () => {
  test.each([
    ["alice@corp.example", "relay"],
    ["ALICE@corp.example", "relay"],
    ["bob@corp.example", "refused"],
    ["alice@sub.corp.example", "refused"],
    ["alice@corp.example.evil.example", "refused"],
    ["alice@evilcorp.example", "refused"],
    ["anybody@team.example", "relay"],
    ["anybody@sub.team.example", "refused"],
    ["anybody@myteam.example", "refused"],
    ["anybody@team.example.net", "refused"],
    ["x@xn--bcher-kva.example", "relay"],
    ["anything@abcd1234.restante.test", "inside"],
    ["anything@efgh5678.restante.test", "inside"],
    ["anything@restante.test", "refused"],
    ["anything@x.abcd1234.restante.test", "refused"],
    ["alice@CORP.example", "refused"],
    ["", "refused"],
  ] as const)("routes %j: %s", (address, route) => {
    expect(routeOf(address, allowed)).toBe(route);
    expect(isAllowed(address, allowed)).toBe(route !== "refused");
  });

  test.each(["gone1234.restante.example.com", "restante.example.com"])(
    "never relays to %s, which is reserved for the service, although it is verified",
    (domain) => {
      const verified = compileAllowed([`@${domain}`, `ada@${domain}`], []).allowed;
      expect(routeOf(`ada@${domain}`, verified)).toBe("refused");
      expect(routeOf(`ada@${domain}`, compileAllowed([], [domain]).allowed)).toBe("inside");
    },
  );

  test("reports invalid entries, which allow nothing", () => {
    const entries = ["*@corp.example", "corp.example", "@", "@*.corp.example", "a@b@c", "@corp.example:x", ""];
    const compiled = compileAllowed(entries, ["bad domain"]);
    expect(compiled.refused.map((refused) => refused.entry)).toEqual([...entries.slice(1), "bad domain"]);
    expect(compiled.allowed.domains.size + compiled.allowed.ownDomains.size).toBe(0);
    expect(isAllowed("a@corp.example", compiled.allowed)).toBe(false);
    expect(isMailDomain("Corp.example")).toBe(false);
  });
});

const goodAddresses = ["alice@corp.example", "b@team.example", "c@abcd1234.restante.test"];
const good = fc.constantFrom(...goodAddresses);
const bad = fc.constantFrom("mallory@evil.example", "x@team.example.evil.example", "postmaster", "e@1.2.3.4");
const glue = fc.constantFrom(
  ",",
  ", ",
  ";",
  ":",
  "@",
  "%",
  "!",
  " ",
  "\t",
  "\r\n",
  "\n",
  "\r",
  "\0",
  "<",
  ">",
  "(",
  ")",
  '"',
  "\\",
  "[",
  "]",
  ".",
  "。",
  "．",
  "＠",
  "%40",
  "%0a",
  "\u200b",
  "\u00ad",
  "\u202e",
  "=?utf-8?q?x=40evil.example?=",
  "=?utf-8?b?LA==?=",
  "xn--",
  "/",
  "#",
  "?",
  "|",
  "&",
  "'",
  "`",
  "\u2028",
  "\ud800",
  "\u212a",
  "\u0130",
  "ß",
  "а",
);
const forms = fc.oneof(
  fc
    .array(fc.oneof(good, bad, glue, fc.constantFrom("alice", "team.example", "corp.example", "evil.example", "a")), {
      maxLength: 7,
    })
    .map((pieces) => pieces.join("")),
  fc.tuple(bad, glue, good).map((pieces) => pieces.join("")),
  fc.tuple(good, glue, bad).map((pieces) => pieces.join("")),
  fc.tuple(good, bad).map(([one, other]) => `"${one}"@${other.split("@")[1]}`),
  fc.tuple(good, bad).map(([one, other]) => `<${one}> <${other}>`),
  fc.tuple(good, bad).map(([one, other]) => `${one} <${other}>`),
  fc.tuple(good, bad).map(([one, other]) => `@${one.split("@")[1]}:${other}`),
  fc.tuple(good, bad).map(([one, other]) => `${other.replace("@", "%")}@${one.split("@")[1]}`),
  fc.tuple(good, bad).map(([one, other]) => `${one}(${other})`),
  fc.tuple(good, bad).map(([one, other]) => `g:${one},${other};`),
  fc.tuple(good, glue, fc.nat({ max: 30 })).map(([one, other, at]) => one.slice(0, at) + other + one.slice(at)),
  fc
    .tuple(good, fc.nat({ max: 30 }), fc.integer({ min: 0, max: 0xffff }))
    .map(([one, at, unit]) => one.slice(0, at) + String.fromCharCode(unit) + one.slice(at)),
  fc
    .tuple(fc.stringMatching(/^[!-~]{1,20}$/), fc.constantFrom("team.example", "TEAM.example", "team.example."))
    .map((pieces) => pieces.join("@")),
  anyText,
);

describe("hostile addresses", () => {
  test("are never delivered to another address than the checked one", () => {
    let allowedCount = 0;
    fc.assert(
      fc.property(forms, (text) => {
        const parsed = parseSingleAddress(text);
        if (!isAllowed(text, allowed)) return;
        allowedCount += 1;
        expect(parsed.address).toBe(text);
        const [localPart, domain, ...rest] = text.split("@");
        expect(rest).toEqual([]);
        const isOpen = [
          "team.example",
          "xn--bcher-kva.example",
          "abcd1234.restante.test",
          "efgh5678.restante.test",
        ].includes(domain ?? "");
        expect(isOpen || `${localPart?.toLowerCase()}@${domain}` === "alice@corp.example").toBe(true);
        const envelope = new MimeNode("text/plain").setEnvelope({ from: text, to: [text] }).getEnvelope();
        expect(envelope).toMatchObject({ from: text, to: [text] });
        expect(parseAddressList(text)).toEqual([{ name: "", email: text, phone: null }]);
      }),
      { numRuns: 20_000 },
    );
    expect(allowedCount).toBeGreaterThan(100);
  });
});
