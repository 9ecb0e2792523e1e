/** Settings of receiving mail from the Internet. */
import { mailDomainDefault } from "../../core/mail-addresses.ts";
import { mtaStsModes } from "../../core/mta-sts.ts";
import { parseSingleAddress } from "../../egress/policy.ts";
import { isLoopbackOnly } from "../loopback.ts";
import * as forms from "./forms.ts";
import { optional, setting, type Form } from "./setting.ts";
import type { Choices } from "./table.ts";

/** Directories of certificate authorities by their names. */
const directories: Readonly<Record<string, string>> = {
  letsencrypt: "https://acme-v02.api.letsencrypt.org/directory",
  "letsencrypt-staging": "https://acme-staging-v02.api.letsencrypt.org/directory",
};

const directory: Form<string> = {
  allowed: "letsencrypt, letsencrypt-staging, or the https:// URL of an ACME directory",
  read: (given) => {
    const url = URL.parse(directories[given] ?? given);
    return url === null || url.protocol !== "https:" || url.username !== "" || url.hash !== "" ? undefined : url.href;
  },
};

/** A form of its own, because the listener is off without RESTANTE_ACME. */
const challengePort: Form<number | null> = { ...forms.port };

const contact: Form<string> = {
  allowed: "one plain address, such as postmaster@corp.example",
  read: (given) => (parseSingleAddress(given).address === given ? given : undefined),
};

/** Settings of receiving mail from the Internet, in the order of the reference page. */
export const publicMailSettings = {
  mx: optional(forms.domain, "none: mail of your own network only").means(
    "Host name of this service in the MX record of RESTANTE_MAIL_DOMAIN. Turns on receiving from the Internet: clients without AUTH reach addresses of the mail domain and its subdomains only, whatever RESTANTE_BIND is; replies name no messages; AUTH needs TLS, except from this machine; and the policies of the settings below apply. `restante check-domain` prints the DNS records.",
  ),
  mtaSts: setting(forms.oneOf([...mtaStsModes, "off"]), "testing").means(
    "Mode of the MTA-STS policy (RFC 8461) that is served at `https://mta-sts.<mail domain>/.well-known/mta-sts.txt` with RESTANTE_MX. Senders refuse to deliver without a valid certificate only with `enforce`.",
  ),
  acme: optional(directory, "off: the local CA, or RESTANTE_TLS_CERT").means(
    "Certificate authority with ACME (RFC 8555) that issues the certificate of RESTANTE_MX, of the host of the MTA-STS policy and of an https RESTANTE_PUBLIC_URL: `letsencrypt`, `letsencrypt-staging`, or the URL of a directory. Setting it accepts the terms of the authority. The certificate is renewed when a third of its time is left, and used by all listeners of all nodes.",
  ),
  acmeContact: optional(contact, "none").means("E-mail address of the account at RESTANTE_ACME."),
  acmePort: setting(challengePort, 80).means(
    "Port at which RESTANTE_ACME verifies control of the names (HTTP-01); it must be reached as port 80 of each name. Nothing else is served there. With `off`, the authority verifies at RESTANTE_HTTPS_PORT (TLS-ALPN-01), which must be reached as port 443 of each name, by TLS that no proxy ends.",
  ),
  acmeCa: optional(forms.path, "public roots").means(
    "PEM file with certificates that are trusted for RESTANTE_ACME instead of the public roots.",
  ),
  blockLists: setting(forms.domains, []).means(
    "Zones of DNS block lists (RFC 5782), such as `zen.spamhaus.org`. Recipients of clients that one of them lists are rejected with 554. A list that does not answer within four seconds lists nobody. Requires RESTANTE_MX.",
  ),
  greylistMs: optional(forms.integer(1000, 86_400_000), "off").means(
    "Milliseconds for which a first mail from a client network, sender and recipient that were not seen together before is deferred with 451 (greylisting, RFC 6647). They are in PostgreSQL, for all nodes, or else the last 20,000 in memory. Requires RESTANTE_MX.",
  ),
};

type PublicMailChoices = Pick<
  Choices,
  | keyof typeof publicMailSettings
  | "bind"
  | "dns"
  | "httpsPort"
  | "mailDomain"
  | "providerKeys"
  | "smtpAuth"
  | "smtpPort"
  | "smtpProxies"
  | "smtpStarttls"
  | "tlsCert"
>;

/** Returns what contradicts itself in these settings, as sentences. */
export function publicMailContradictions(choices: PublicMailChoices): string[] {
  if (choices.mx === null) return withoutMx(choices);
  const {
    acme,
    acmePort,
    bind,
    blockLists,
    dns,
    httpsPort,
    mailDomain,
    mtaSts,
    providerKeys,
    smtpAuth,
    smtpPort,
    smtpProxies,
    smtpStarttls,
    tlsCert,
  } = choices;
  const wrong: readonly (readonly [isWrong: boolean, text: string])[] = [
    [mailDomain === mailDomainDefault, "RESTANTE_MX requires a domain of your own: give RESTANTE_MAIL_DOMAIN too"],
    [
      smtpPort === null,
      "RESTANTE_MX requires an SMTP listener, but RESTANTE_SMTP_PORT is off: give a port, such as 25",
    ],
    [
      isLoopbackOnly(bind) && smtpProxies.length === 0,
      "RESTANTE_MX requires a listener that other machines reach, but RESTANTE_BIND is loopback: give RESTANTE_BIND=0.0.0.0, or the addresses of a load balancer on this machine in RESTANTE_SMTP_PROXIES",
    ],
    [
      smtpAuth === "any" || smtpAuth === "required",
      `RESTANTE_SMTP_AUTH=${smtpAuth} ${smtpAuth === "any" ? "accepts any password" : "rejects the mail of other mail servers"}, which RESTANTE_MX does not allow: give known`,
    ],
    [
      providerKeys === "any",
      "RESTANTE_PROVIDER_KEYS=any accepts any key, which RESTANTE_MX does not allow: give known",
    ],
    [
      smtpStarttls === "never",
      "RESTANTE_SMTP_STARTTLS=never contradicts RESTANTE_MX, whose senders expect TLS: give always or auto",
    ],
    [
      mtaSts === "enforce" && acme === null && tlsCert === null,
      "RESTANTE_MTA_STS=enforce requires a certificate that senders accept: give RESTANTE_ACME, or RESTANTE_TLS_CERT and RESTANTE_TLS_KEY",
    ],
    [acme !== null && tlsCert !== null, "RESTANTE_ACME and RESTANTE_TLS_CERT exclude each other: give one of them"],
    [
      acme !== null && acmePort === null && httpsPort === null,
      "RESTANTE_ACME requires a port at which the authority verifies names: give RESTANTE_ACME_PORT, such as 80, or RESTANTE_HTTPS_PORT, which is reached as port 443",
    ],
    [blockLists.length > 0 && dns === "off", "RESTANTE_BLOCK_LISTS requires DNS, but RESTANTE_DNS is off"],
  ];
  return wrong.flatMap(([isWrong, text]) => (isWrong ? [text] : []));
}

function withoutMx({ acme, blockLists, greylistMs }: PublicMailChoices): string[] {
  const given = {
    RESTANTE_ACME: acme !== null,
    RESTANTE_BLOCK_LISTS: blockLists.length > 0,
    RESTANTE_GREYLIST_MS: greylistMs !== null,
  };
  return Object.entries(given).flatMap(([name, isGiven]) =>
    isGiven ? [`${name} has an effect only where mail arrives from the Internet: give RESTANTE_MX too`] : [],
  );
}
