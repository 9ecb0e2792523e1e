import { readFileSync } from "node:fs";
import { checkDomain, type DomainProbes } from "../../app/public-mail/check-domain.ts";
import { type DomainFinding, openDomainLookup } from "../../app/public-mail/domain-finding.ts";
import { domain as domainForm } from "../../app/settings/forms.ts";
import { mtaStsPolicy } from "../../core/mta-sts.ts";
import { fetchPolicy } from "../../egress/limited-request.ts";
import { probeStartTls } from "../../egress/relay/smtp-relay.ts";
import { type Action, type Call, configOf, exitCodes, toJson, UsageError } from "../command.ts";

/** Port at which mail servers deliver (RFC 5321 §4.5.4.2). */
const smtpPort = 25;

/** Runs `restante check-domain`: exits with 1 when something is to be fixed, or DNS did not answer. */
export const checkDomainCommand: Action = async (call) => {
  const { flags, terminal } = call;
  const config = configOf(call);
  const zone = flags.get("zone");
  const domain = readDomain(call.operands[0] ?? "", "DOMAIN");
  const mx = readDomain(flags.get("mx") ?? config.mx ?? `mx.${domain}`, "--mx");
  const parent = domain.endsWith(`.${config.mailDomain}`) ? config.mailDomain : null;
  const policy = config.mtaSts === "off" ? null : mtaStsPolicy(domain, mx, config.mtaSts);
  const lookup = openDomainLookup(config, zone === undefined ? null : readFileSync(zone, "utf8"));
  const findings = await checkDomain(
    { domain, parent, mx, policy, sendsMail: config.relayUrl !== null },
    { lookup, probes: zone === undefined ? probesOf(call) : null },
  );
  terminal.out(flags.has("json") ? toJson(findings) : findings.map(lineOf).join(""));
  const isFine = findings.every(({ status }) => status === "ok" || status === "note");
  return isFine ? exitCodes.done : exitCodes.failed;
};

function readDomain(given: string, name: string): string {
  const read = domainForm.read(given);
  if (read === undefined) throw new UsageError(`${name}: give ${domainForm.allowed}`);
  return read;
}

function probesOf({ terminal }: Call): DomainProbes {
  return {
    smtp: async (host, address) => probeStartTls({ host, address, port: smtpPort }),
    policy: async (url, address) => fetchPolicy({ url, address }, terminal.clock),
  };
}

/** Returns the lines of a finding: its state, then what to do, and the record. */
function lineOf({ status, subject, text, record }: DomainFinding): string {
  const start = `${status.padEnd(8)}${subject.padEnd(16)}`;
  const parts = [text, record].filter((part): part is string => part !== null && part !== "");
  return `${start}${parts.join(`\n${" ".repeat(start.length)}`)}\n`;
}
