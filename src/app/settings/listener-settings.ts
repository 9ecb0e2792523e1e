/** Settings of the listeners: addresses, ports and TLS. */
import { isIP, isIPv4 } from "node:net";
import { networkInterfaces } from "node:os";
import type { Hosts } from "../../ingress/lines/listen-on.ts";
import { isCipherList, tlsVersions } from "../../tls/tls-rules.ts";
import * as forms from "./forms.ts";
import { optional, setting, type Form } from "./setting.ts";

/** Names of the mail catchers, whose setting of the port is `<name>Port`. */
export const catcherNames = ["mailpit", "mailhog", "maildev", "smtp4dev"] as const;

/** Name of a mail catcher. */
export type CatcherName = (typeof catcherNames)[number];

const loopbackAddresses = ["127.0.0.1", "::1"] as const;
const unspecified: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

/** IP addresses; `localhost` is both loopback addresses, without one that this machine lacks. */
const bindAddresses: Form<Hosts> = {
  allowed:
    "IPv4 and IPv6 addresses separated by commas, such as 127.0.0.1,::1, or localhost; 0.0.0.0 and :: without another address of their kind",
  read: (given) => readAddresses(given, machineAddresses()),
};

/** Addresses and ports, in the order of the reference page. A port is 0 for any free one, and null without a listener. */
export const listenerSettings = {
  bind: setting(bindAddresses, ["127.0.0.1"]).means(
    "IP addresses of all listeners, each of which has the same port on every address; the service shows the first. `localhost` means 127.0.0.1 and ::1. Rules for loopback apply while all of them are loopback. Addresses other than loopback require `RESTANTE_API_KEY`, or a key that an earlier start generated.",
  ),
  httpPort: setting(forms.port, 8025).means("Port of the API and the web UI over HTTP."),
  httpsPort: setting(forms.port, 8443).means(
    "Port of the API and the web UI over HTTPS, with the same certificate as STARTTLS. `CONNECT` requests on the HTTP port are tunnelled to it.",
  ),
  smtpPort: setting(forms.port, 1025).means("SMTP port, in clear or with STARTTLS."),
  smtpsPort: setting(forms.port, null).means("SMTP port with implicit TLS (RFC 8314)."),
  lmtpPort: setting(forms.port, null).means(
    "LMTP port (RFC 2033), for MTAs that deliver to this service: one reply for each recipient. All other settings are those of the SMTP port.",
  ),
  pop3Port: setting(forms.port, null).means(
    "POP3 port, in clear or with STLS. The user is the id of a server, the password its SMTP password or an API key; without TLS only on loopback.",
  ),
  pop3sPort: setting(forms.port, null).means("POP3 port with implicit TLS."),
  imapPort: setting(forms.port, null).means(
    "IMAP port, in clear or with STARTTLS. User and password are those of POP3; without TLS only on loopback.",
  ),
  imapsPort: setting(forms.port, null).means("IMAP port with implicit TLS."),
  mailpitPort: setting(forms.port, null).means(
    "Port of a listener with the API of Mailpit, for suites that are written against it. Clients on this machine need no key while RESTANTE_BIND is loopback and RESTANTE_TRUST_LOOPBACK is `yes`; all others send a key with HTTP Basic.",
  ),
  mailhogPort: setting(forms.port, null).means(
    "Port of a listener with the API of MailHog, versions 1 and 2; access as for RESTANTE_MAILPIT_PORT.",
  ),
  maildevPort: setting(forms.port, null).means(
    "Port of a listener with the API of MailDev, version 3 below `/api`, and versions 1 and 2 without a prefix; access as for RESTANTE_MAILPIT_PORT.",
  ),
  smtp4devPort: setting(forms.port, null).means(
    "Port of a listener with the API of smtp4dev, version 3, and its hub of notifications; access as for RESTANTE_MAILPIT_PORT.",
  ),
  peerServer: optional(forms.serverId, "the server of `RESTANTE_CATCH_ALL`").means(
    "Server that the APIs of Mailpit, MailHog, MailDev and smtp4dev show.",
  ),
  peerPath: setting(forms.basePath, "").means(
    "Path below which the APIs of Mailpit, MailHog, MailDev and smtp4dev respond, as with `--webroot` of Mailpit, `-ui-web-path` of MailHog, `--base-pathname` of MailDev and `--basepath` of smtp4dev; they respond without it, too, for reverse proxies that remove it.",
  ),
};

const cipherList: Form<string> = {
  allowed: "an OpenSSL cipher list, such as `ECDHE-RSA-AES128-GCM-SHA256:AES128-SHA`",
  read: (text) => (isCipherList(text) ? text : undefined),
};

/** TLS of all listeners, in the order of the reference page; the files of certificate and key are both set, or neither. */
export const tlsSettings = {
  tlsCert: optional(forms.path, "issued by the local CA").means(
    "PEM file of your certificate, followed by its intermediates; reloaded within a minute when it changes.",
  ),
  tlsKey: optional(forms.path, "issued by the local CA").means("PEM file of the private key of `RESTANTE_TLS_CERT`."),
  tlsMinVersion: setting(forms.oneOf(tlsVersions), "1.2").means(
    "Lowest TLS version that listeners accept. `1.0` and `1.1`, for tests of old clients, also lower the security level of OpenSSL to 0.",
  ),
  tlsCiphers: optional(cipherList, "those of Node").means(
    "OpenSSL cipher list of all TLS listeners, for tests of clients with few ciphers; TLS 1.3 suites are named too.",
  ),
};

/** Returns the distinct addresses of a text; undefined when it is not valid. `own` are the addresses of this machine. */
export function readAddresses(given: string, own: readonly string[]): Hosts | undefined {
  const found = loopbackAddresses.filter((address) => own.includes(address));
  const localhost = found.length > 0 ? found : loopbackAddresses;
  const named = given.split(",").flatMap((one) => (one.trim() === "localhost" ? localhost : [one.trim()]));
  if (named.some((address) => isIP(address) === 0 || address.includes("%"))) return undefined;
  const [first, ...others] = new Set(named.map(canonical));
  return first === undefined || includesAnother([first, ...others]) ? undefined : [first, ...others];
}

/** Returns a sentence for the address that `localhost` lacks on this machine. */
export function localhostWarnings(given: string, own: readonly string[] = machineAddresses()): readonly string[] {
  if (!given.split(",").some((one) => one.trim() === "localhost")) return [];
  const [first, ...others] = loopbackAddresses.filter((address) => own.includes(address));
  if (first === undefined || others.length > 0) return [];
  const missing = loopbackAddresses.filter((address) => address !== first).join();
  return [`localhost means ${first} only: this machine does not have the address ${missing}`];
}

/** Returns whether an unspecified address stands beside another of its kind, which it includes. */
function includesAnother(addresses: Hosts): boolean {
  const ofIpv4 = addresses.filter((address) => isIPv4(address));
  const ofIpv6 = addresses.filter((address) => !isIPv4(address));
  return [ofIpv4, ofIpv6].some((kind) => kind.length > 1 && kind.some((address) => unspecified.has(address)));
}

/** Returns the shortest notation of an address (RFC 5952 §4). */
function canonical(address: string): string {
  return isIPv4(address) ? address : new URL(`http://[${address}]`).hostname.slice(1, -1);
}

function machineAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((found = []) => found.map(({ address }) => address));
}
