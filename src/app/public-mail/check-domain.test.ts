import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DnsFault, openDns, type Lookup } from "../../authentication/dns.ts";
import { codePoint } from "../../testing/code-point.test-aid.ts";
import { mtaStsPolicy } from "../../core/mta-sts.ts";
import { checkDomain, type CheckedDomain, type DomainProbes } from "./check-domain.ts";
import type { DomainFinding } from "./domain-finding.ts";

const policy = mtaStsPolicy("corp.example", "mx.corp.example", "testing");
const checked: CheckedDomain = {
  domain: "corp.example",
  parent: null,
  mx: "mx.corp.example",
  policy,
  sendsMail: false,
};
const complete = `
$ORIGIN corp.example.
mx A 8.51.100.7
@ MX 10 mx
* MX 10 mx
@ TXT "v=spf1 -all"
@ TXT "another text"
_dmarc TXT "v=DMARC1; p=reject; rua=mailto:dmarc@corp.example"
mta-sts CNAME mx
_mta-sts TXT "v=STSv1; id=${policy.id}"
_smtp._tls TXT "v=TLSRPTv1; rua=mailto:tls-reports@corp.example"
7.100.51.8.in-addr.arpa. PTR mx
`;
const zone = (text: string): Lookup => openDns({ kind: "fixtures", zone: text }, 5000);

async function check(
  text: string,
  changes: Partial<CheckedDomain> = {},
  probes: DomainProbes | null = null,
): Promise<readonly DomainFinding[]> {
  return checkDomain({ ...checked, ...changes }, { lookup: zone(text), probes });
}

/** Returns the findings that are not `ok`, without the notes on domains of servers, for which a zone may have no records. */
const faults = (findings: readonly DomainFinding[]): readonly DomainFinding[] =>
  findings.filter(({ status, subject }) => status !== "ok" && (status !== "note" || !subject.endsWith("of servers")));

describe("checkDomain", () => {
  test("finds nothing to fix in a complete zone", async () => {
    const findings = await check(complete);
    expect(faults(findings)).toEqual([]);
    expect(findings.map(({ subject }) => subject)).toEqual([
      "address",
      "MX",
      "MX of servers",
      "SPF",
      "DMARC",
      "MTA-STS host",
      "MTA-STS",
      "TLS-RPT",
      "MTA-STS of servers",
      "TLS-RPT of servers",
      "PTR",
    ]);
  });

  test("prints the records of an empty zone, with which it finds nothing but the address to fix", async () => {
    const found = await check("$ORIGIN corp.example.\nmx A 8.51.100.7");
    const added = found.flatMap(({ status, record }) => (status === "fix" ? [record ?? ""] : []));
    expect(added).toEqual([
      "corp.example. MX 10 mx.corp.example.",
      "*.corp.example. MX 10 mx.corp.example.",
      'corp.example. TXT "v=spf1 -all"',
      '_dmarc.corp.example. TXT "v=DMARC1; p=reject; rua=mailto:dmarc@corp.example"',
      "mta-sts.corp.example. CNAME mx.corp.example.",
      `_mta-sts.corp.example. TXT "v=STSv1; id=${policy.id}"`,
      '_smtp._tls.corp.example. TXT "v=TLSRPTv1; rua=mailto:tls-reports@corp.example"',
    ]);
    const again = await check(`mx.corp.example. A 8.51.100.7\n${added.join("\n")}`);
    expect(faults(again).map(({ subject, status }) => [subject, status])).toEqual([["PTR", "note"]]);
  });

  test.each([
    { subject: "address", before: "mx A 8.51.100.7", after: "", text: /has no address/ },
    {
      subject: "address",
      before: "mx A 8.51.100.7",
      after: "mx A 10.0.0.1",
      text: /10\.0\.0\.1 cannot be reached from the Internet/,
    },
    {
      subject: "address",
      before: "mx A 8.51.100.7",
      after: "mx CNAME other.example.\nother.example. A 8.51.100.7",
      text: /is an alias of other\.example/,
    },
    { subject: "MX", before: "@ MX 10 mx", after: "", text: /has no MX record/ },
    { subject: "MX", before: "@ MX 10 mx", after: "@ MX 0 .", text: /accepts no mail/ },
    { subject: "MX", before: "@ MX 10 mx", after: "@ MX 10 mail.other.example.", text: /goes to mail\.other\.example/ },
    {
      subject: "MX",
      before: "@ MX 10 mx",
      after: "@ MX 10 mx\n@ MX 20 mail.other.example.",
      text: /may also go to mail\.other\.example/,
    },
    { subject: "MX of servers", before: "* MX 10 mx", after: "", text: /finds no mail host/ },
    { subject: "SPF", before: '"v=spf1 -all"', after: '"v=spf1 mx ~all"', text: /end the record with -all/ },
    { subject: "SPF", before: '"another text"', after: '"v=spf1 mx -all"', text: /several such records/ },
    { subject: "DMARC", before: "p=reject", after: "p=none", text: /set p=reject/ },
    { subject: "MTA-STS", before: `id=${policy.id}`, after: "id=20260101", text: /id must change/ },
    { subject: "MTA-STS host", before: "mta-sts CNAME mx", after: "", text: /add its record/ },
    { subject: "TLS-RPT", before: "; rua=mailto:tls-reports@corp.example", after: ";", text: /no address for reports/ },
    {
      subject: "PTR",
      before: "7.100.51.8.in-addr.arpa. PTR mx",
      after: "7.100.51.8.in-addr.arpa. PTR other",
      text: /no name that leads back/,
    },
  ])("says what $subject lacks when $before is $after", async ({ subject, before, after, text }) => {
    expect(complete).toContain(before);
    const found = faults(await check(complete.replace(before, after)));
    expect(found.find((one) => one.subject === subject)?.text).toMatch(text);
  });

  test("lets SPF name a relay, and end softly, where mail is sent", async () => {
    const sending = complete.replace("v=spf1 -all", "v=spf1 include:relay.example ~all");
    expect(faults(await check(sending, { sendsMail: true }))).toEqual([]);
    const [missing] = faults(await check(complete.replace('@ TXT "v=spf1 -all"', ""), { sendsMail: true }));
    expect(missing?.record).toBe('corp.example. TXT "v=spf1 include:<SPF domain of your relay> -all"');
  });

  test("notes what protects the domains of servers, and says what their records lack", async () => {
    const ofServers = async (text: string): Promise<readonly DomainFinding[]> =>
      (await check(`${complete}${text}`)).filter(({ subject }) => /^(?:MTA-STS|TLS-RPT) of servers$/.test(subject));
    const notes = await ofServers("");
    expect(notes.map(({ status }) => status)).toEqual(["note", "note"]);
    expect(notes[0]?.text).toMatch(/does not reach <anything>@<server id>\.corp\.example: .*mta-sts\.<server id>/);
    const records = notes.map(({ record }) => record ?? "").join("\n");
    expect(faults(await ofServers(records))).toMatchObject([
      {
        status: "fix",
        text: expect.stringContaining("mta-sts.<server id>.corp.example, which has no address") as string,
      },
    ]);
    const served = await ofServers(`${records}\n* A 8.51.100.7`);
    expect(served.map(({ status }) => status)).toEqual(["ok", "ok"]);
    const [outdated] = await ofServers('* TXT "v=STSv1; id=20260101"');
    expect([outdated?.status, outdated?.text]).toEqual(["fix", expect.stringContaining("id must change")]);
  });

  test("names the records that the domain of one server lacks, without DMARC, which it inherits", async () => {
    const domain = "abcd1234.corp.example";
    const own = { domain, parent: "corp.example", policy: mtaStsPolicy(domain, "mx.corp.example", "testing") };
    const found = await check(complete, own);
    expect(found.map(({ subject, status }) => [subject, status])).toEqual([
      ["address", "ok"],
      ["MX", "ok"],
      ["SPF", "fix"],
      ["DMARC", "ok"],
      ["MTA-STS host", "fix"],
      ["MTA-STS", "fix"],
      ["TLS-RPT", "fix"],
      ["PTR", "ok"],
    ]);
    const records = found.flatMap(({ status, record }) => (status === "fix" ? [record ?? ""] : []));
    expect(records).toContain(`_mta-sts.${domain}. TXT "v=STSv1; id=${policy.id}"`);
    const zoneText = `${complete}${records.join("\n")}\n${domain}. MX 10 mx`;
    expect(faults(await check(zoneText, own))).toEqual([]);
  });

  test("notes that MTA-STS is off", async () => {
    const found = faults(await check(complete, { policy: null }));
    expect(found.map(({ subject, status }) => [subject, status])).toEqual([["MTA-STS", "note"]]);
  });

  test("says for each subject that DNS did not answer, and shows no control characters", async () => {
    const lookup: Lookup = () => Promise.reject(new DnsFault("timeout", "no answer\u001b[31m"));
    const findings = await checkDomain(checked, { lookup, probes: null });
    expect(new Set(findings.map(({ status }) => status))).toEqual(new Set(["unknown"]));
    expect(findings[0]?.text).toContain("no answer?[31m");
  });

  test("describes any records in visible characters of limited length", async () => {
    const known = [
      "v=spf1 ",
      "v=DMARC1; p=",
      "v=STSv1; id=",
      "v=TLSRPTv1; rua=",
      "10 ",
      "all",
      "mx.corp.example",
      "127.0.0.1",
    ];
    const text = fc.oneof(
      fc.string({ unit: codePoint }),
      fc.array(fc.constantFrom(...known)).map((parts) => parts.join("")),
    );
    const property = fc.asyncProperty(fc.array(text, { maxLength: 3 }), text, async (records, policyText) => {
      const lookup: Lookup = async () => records;
      const anyProbes: DomainProbes = {
        smtp: async () => Promise.reject(new Error(policyText)),
        policy: async () => policyText,
      };
      const findings = await checkDomain(checked, { lookup, probes: anyProbes });
      expect(findings.filter(({ text: shown, record }) => !/^[ -~§]*$/.test(`${shown}${record ?? ""}`))).toEqual([]);
    });
    await fc.assert(property, { numRuns: 200 });
  });

  test("cuts the records of others", async () => {
    const lookup: Lookup = async (name, type) => {
      if (type === "MX") return Array.from({ length: 10_000 }, (_, count) => `10 ${"x".repeat(60)}${String(count)}`);
      return zone(complete)(name, type);
    };
    const findings = await checkDomain(checked, { lookup, probes: null });
    expect(JSON.stringify(findings).length).toBeLessThan(4000);
  });
});

describe("connections", () => {
  const probes: DomainProbes = { smtp: async () => undefined, policy: async () => policy.text };

  test("are made to each address of the mail host and to the host of the policy", async () => {
    const probed: string[] = [];
    const findings = await check(
      `${complete}mx AAAA 2a00:1::7\n`,
      {},
      {
        smtp: async (host, address) => void probed.push(`${host} ${address}`),
        policy: async (url, address) => {
          probed.push(`${url} ${address}`);
          return policy.text.replaceAll("\r\n", "\n");
        },
      },
    );
    expect(probed.toSorted()).toEqual([
      "https://mta-sts.corp.example/.well-known/mta-sts.txt 8.51.100.7",
      "mx.corp.example 2a00:1::7",
      "mx.corp.example 8.51.100.7",
    ]);
    expect(findings.filter(({ subject, status }) => subject === "port 25" && status === "ok")).toHaveLength(2);
  });

  test("become findings with the reason when they fail", async () => {
    const fail = async (): Promise<never> => Promise.reject(new Error("certificate has expired"));
    const found = faults(await check(complete, {}, { smtp: fail, policy: fail }));
    expect(found.map(({ subject }) => subject)).toEqual(["port 25", "MTA-STS policy"]);
    expect(found.every(({ text }) => text.includes("certificate has expired"))).toBe(true);
  });

  test("find a policy that is not the one of the settings", async () => {
    const [found] = faults(await check(complete, {}, { ...probes, policy: async () => "version: STSv1\n" }));
    expect(found).toMatchObject({ subject: "MTA-STS policy", text: expect.stringMatching(/another policy/) as string });
  });
});
