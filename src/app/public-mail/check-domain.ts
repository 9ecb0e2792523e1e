/** Check of the DNS records and hosts that mail from the Internet to a domain needs. */
import { DnsFault, type Lookup } from "../../authentication/dns.ts";
import { findSenderRecords } from "../../authentication/block-lists.ts";
import { isPublicAddress } from "../../core/ip-address.ts";
import type { MtaStsPolicy } from "../../core/mta-sts.ts";
import {
  addressesOf,
  answers,
  fix,
  judgeText,
  note,
  ok,
  recordsOf,
  shown,
  type DomainFinding,
  type TextRule,
} from "./domain-finding.ts";

/** Domain to check, as the settings describe it. */
export interface CheckedDomain {
  /** In lower case. */
  readonly domain: string;
  /** Mail domain above, for the domain of one server; null: `domain` has those of servers below it. */
  readonly parent: string | null;
  /** Host name of the service, the target of the MX record. */
  readonly mx: string;
  /** Null where RESTANTE_MTA_STS is off. */
  readonly policy: MtaStsPolicy | null;
  /** Whether mail from the domain leaves through a relay; else SPF says that none does. */
  readonly sendsMail: boolean;
}

/** Connections to the hosts of the domain. */
export interface DomainProbes {
  /** Resolves when a mail server answers at port 25 of the address with STARTTLS and a valid certificate for `host`; else rejects with the reason. */
  readonly smtp: (host: string, address: string) => Promise<void>;
  /** Returns the text at an HTTPS URL, whose host has the address; rejects with the reason. */
  readonly policy: (url: string, address: string) => Promise<string>;
}

/** Dependencies of {@link checkDomain}. */
export interface DomainCheckDependencies {
  readonly lookup: Lookup;
  /** Null: only DNS is checked. */
  readonly probes: DomainProbes | null;
}

/** Addresses of the mail host that are probed. */
const probedAddressCountMax = 8;
type Subject = (checked: CheckedDomain, dependencies: DomainCheckDependencies) => Promise<readonly DomainFinding[]>;

/** Returns a finding for each subject, in the order in which one would fix them. Rejects only where a subject is broken. */
export async function checkDomain(
  checked: CheckedDomain,
  dependencies: DomainCheckDependencies,
): Promise<readonly DomainFinding[]> {
  const found = await Promise.all(subjects.map(async ([name, judge]) => decided(name, judge(checked, dependencies))));
  return found.flat();
}

/** Returns the findings of a subject, or the one that DNS did not answer. */
async function decided(
  subject: string,
  findings: Promise<readonly DomainFinding[]>,
): Promise<readonly DomainFinding[]> {
  try {
    return await findings;
  } catch (error) {
    if (!(error instanceof DnsFault)) throw error;
    const text = `DNS did not answer (${shown(error.message)}): try again, or name another resolver in RESTANTE_DNS`;
    return [{ subject, status: "unknown", text, record: null }];
  }
}

const address: Subject = async ({ mx }, { lookup }) => {
  const [alias] = await recordsOf(lookup, mx, "CNAME");
  if (alias !== undefined) {
    const text = `${mx} is an alias of ${shown(alias)}, which the host of an MX record must not be (RFC 2181 §10.3): replace it by an address`;
    return [fix("address", text, `${mx}. A <public IPv4 address>`)];
  }
  const found = await addressesOf(lookup, mx);
  if (found.length === 0)
    return [fix("address", `${mx} has no address: add its record`, `${mx}. A <public IPv4 address>`)];
  return found.map((one) => {
    const record = `${mx}. ${one.includes(":") ? "AAAA" : "A"} ${shown(one)}`;
    if (isPublicAddress(one)) return ok("address", record);
    return fix("address", `${shown(one)} cannot be reached from the Internet: give the public address`, record);
  });
};

/** Returns the hosts of MX records in lower case, without the final dot. */
const mailHostsOf = async (lookup: Lookup, name: string): Promise<readonly string[]> =>
  (await recordsOf(lookup, name, "MX")).map((record) => (record.split(" ")[1] ?? "").toLowerCase().replace(/\.$/, ""));

const mailHosts: Subject = async ({ domain, mx }, { lookup }) => {
  const record = `${domain}. MX 10 ${mx}.`;
  const hosts = await mailHostsOf(lookup, domain);
  if (hosts.length === 0) return [fix("MX", `${domain} has no MX record: add it`, record)];
  if (hosts.includes(""))
    return [fix("MX", `${domain} says that it accepts no mail (RFC 7505): replace its MX record`, record)];
  if (!hosts.includes(mx))
    return [fix("MX", `Mail for ${domain} goes to ${shown(hosts.join(", "))}: replace the MX record`, record)];
  const others = hosts.filter((host) => host !== mx);
  const text = `Mail may also go to ${shown(others.join(", "))}: remove these hosts unless they pass mail on to this service`;
  return [others.length === 0 ? ok("MX", record) : note("MX", text, record)];
};

/** Label of a server id, which no domain has as a name of its own. */
const serverLabel = "abcd1234";

const serverHosts: Subject = async ({ domain, parent, mx }, { lookup }) => {
  if (parent !== null) return [];
  const record = `*.${domain}. MX 10 ${mx}.`;
  const hosts = await mailHostsOf(lookup, `${serverLabel}.${domain}`);
  if (hosts.includes(mx)) return [ok("MX of servers", record)];
  const text = `Mail to <anything>@<server id>.${domain} finds no mail host: add the record to use these addresses`;
  return [fix("MX of servers", text, record)];
};

const reverse: Subject = async ({ mx }, { lookup }) => {
  const addresses = (await addressesOf(lookup, mx)).filter(isPublicAddress);
  return Promise.all(
    addresses.map(async (one) => {
      const { ptr } = await findSenderRecords({ domain: null, clientAddress: one }, lookup);
      const named = await Promise.all(
        // Without an address, or an answer, the name does not lead back.
        ptr.slice(0, probedAddressCountMax).map(async (name) => addressesOf(lookup, name).catch(() => [])),
      );
      if (named.flat().includes(one)) return ok("PTR", `${one} PTR ${shown(ptr[0] ?? "")}.`);
      const text = `${one} has no name that leads back to it: have its owner set the reverse record. Mail that arrives does not need it, mail that leaves does`;
      return note("PTR", text, `${one} PTR ${mx}.`);
    }),
  );
};

const spf: Subject = async ({ domain, sendsMail }, { lookup }) =>
  judgeText(
    {
      subject: "SPF",
      name: domain,
      version: /^v=spf1(?: |$)/i,
      wanted: sendsMail ? "v=spf1 include:<SPF domain of your relay> -all" : "v=spf1 -all",
      absence: sendsMail
        ? "Nothing names the senders of the domain"
        : "Nothing says that no mail is sent from the domain",
      fault: ({ all, redirect }) => {
        if (all === undefined && redirect !== undefined) return undefined;
        const isClosed = all === "-" || (sendsMail && all === "~");
        return isClosed ? undefined : "Others may send mail in the name of the domain: end the record with -all";
      },
    },
    lookup,
  );

/** Domains below inherit the policy (RFC 7489 §6.6.3). */
const dmarc: Subject = async ({ domain, parent }, { lookup }) =>
  judgeText(
    {
      subject: "DMARC",
      name: `_dmarc.${parent ?? domain}`,
      version: /^v=DMARC1(?:;|\s|$)/,
      wanted: `v=DMARC1; p=reject; rua=mailto:dmarc@${parent ?? domain}`,
      absence: "Nothing tells receivers to reject forged mail of the domain",
      fault: ({ p }) =>
        p === "reject" || p === "quarantine" ? undefined : "The policy has no effect: set p=reject or p=quarantine",
    },
    lookup,
  );

const mtaSts: Subject = async ({ domain, mx, policy }, { lookup }) => {
  if (policy === null)
    return [note("MTA-STS", "RESTANTE_MTA_STS is off: senders cannot know that this service has TLS", null)];
  const [found] = await addressesOf(lookup, policy.host);
  const host = `${policy.host}. ${found?.includes(":") === true ? "AAAA" : "A"} ${shown(found ?? "")}`;
  const missing = "Senders read the policy from this host: add its record, here for an HTTPS listener on the mail host";
  return [
    found === undefined ? fix("MTA-STS host", missing, `${policy.host}. CNAME ${mx}.`) : ok("MTA-STS host", host),
    ...(await judgeText(policyRule(`_mta-sts.${domain}`, policy), lookup)),
  ];
};

const policyRule = (name: string, policy: MtaStsPolicy): TextRule => ({
  subject: "MTA-STS",
  name,
  version: /^v=STSv1;/,
  wanted: `v=STSv1; id=${policy.id}`,
  absence: "Senders do not look for the policy without this record",
  fault: ({ id }) =>
    id === policy.id ? undefined : "The id must change with the policy, or senders keep the one they know",
});

const reportRule = (name: string, reports: string): TextRule => ({
  subject: "TLS-RPT",
  name,
  version: /^v=TLSRPTv1;/,
  wanted: `v=TLSRPTv1; rua=mailto:${reports}`,
  absence: "Nothing tells senders where to report failures of TLS",
  fault: ({ rua }) => (rua === undefined ? "The record has no address for reports: add rua" : undefined),
});

const tlsReports: Subject = async ({ domain }, { lookup }) =>
  judgeText(reportRule(`_smtp._tls.${domain}`, `tls-reports@${domain}`), lookup);

/** Records of the domains of servers, which inherit neither policy nor reports: without them, mail arrives as before MTA-STS. */
const serverPolicies: Subject = async ({ domain, parent, policy }, { lookup }) => {
  if (parent !== null) return [];
  const below = `${serverLabel}.${domain}`;
  const judge = async (rule: TextRule, absence: string): Promise<DomainFinding> => {
    const subject = `${rule.subject} of servers`;
    const record = `*.${domain}. TXT "${rule.wanted}"`;
    const isMissing = !(await recordsOf(lookup, rule.name, "TXT")).some((one) => rule.version.test(one));
    if (isMissing) return note(subject, absence, record);
    const [fault] = (await judgeText(rule, lookup)).filter(({ status }) => status !== "ok");
    return fault === undefined ? ok(subject, record) : fix(subject, fault.text, record);
  };
  const reports = await judge(
    reportRule(`_smtp._tls.${below}`, `tls-reports@${domain}`),
    `Failures of TLS to <anything>@<server id>.${domain} are not reported without this record`,
  );
  if (policy === null) return [reports];
  const host = `mta-sts.<server id>.${domain}`;
  const protection = await judge(
    policyRule(`_mta-sts.${below}`, policy),
    `MTA-STS does not reach <anything>@<server id>.${domain}: to change that, add the record, lead ${host} here, and give it a certificate by RESTANTE_TLS_CERT or a proxy; RESTANTE_ACME orders none`,
  );
  const isServed = (await addressesOf(lookup, `mta-sts.${below}`)).length > 0;
  if (protection.status !== "ok" || isServed) return [protection, reports];
  const text = `Senders read the policy from ${host}, which has no address: add the record, or remove the TXT record`;
  return [fix(protection.subject, text, `*.${domain}. A <public IPv4 address>`), reports];
};

const listeners: Subject = async ({ mx }, { lookup, probes }) => {
  if (probes === null) return [];
  const addresses = (await addressesOf(lookup, mx)).slice(0, probedAddressCountMax);
  return Promise.all(
    addresses.map(async (one) => {
      try {
        await probes.smtp(mx, one);
        return answers("port 25", `${shown(one)} answers with a valid certificate`);
      } catch (error) {
        const reason = shown(error instanceof Error ? error.message : String(error));
        const text = `${shown(one)} port 25, from this machine: ${reason}. Open the port and start the service there; for the certificate, set RESTANTE_ACME or RESTANTE_TLS_CERT`;
        return fix("port 25", text, null);
      }
    }),
  );
};

const servedPolicy: Subject = async ({ policy }, { lookup, probes }) => {
  if (policy === null || probes === null) return [];
  const [host] = await addressesOf(lookup, policy.host);
  if (host === undefined) return [];
  const url = `https://${policy.host}/.well-known/mta-sts.txt`;
  try {
    const text = await probes.policy(url, host);
    if (text.replaceAll("\r\n", "\n").trimEnd() === policy.text.replaceAll("\r\n", "\n").trimEnd())
      return [answers("MTA-STS policy", `${url} is that of these settings`)];
    return [fix("MTA-STS policy", `${url} serves another policy than that of these settings`, null)];
  } catch (error) {
    const reason = shown(error instanceof Error ? error.message : String(error));
    const text = `${url}: ${reason}. The HTTPS listener, or a proxy before it, must answer there with a certificate for ${policy.host}`;
    return [fix("MTA-STS policy", text, null)];
  }
};

const subjects: readonly (readonly [name: string, judge: Subject])[] = [
  ["address", address],
  ["MX", mailHosts],
  ["MX of servers", serverHosts],
  ["port 25", listeners],
  ["SPF", spf],
  ["DMARC", dmarc],
  ["MTA-STS", mtaSts],
  ["MTA-STS policy", servedPolicy],
  ["TLS-RPT", tlsReports],
  ["policies of servers", serverPolicies],
  ["PTR", reverse],
];
