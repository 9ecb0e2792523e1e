/** Policy for hosts that the service calls on behalf of account keys: webhooks and APIs of SMS providers. */
import { isIP } from "node:net";
import { isPublicAddress, parseIpAddress } from "./ip-address.ts";

/** Policy for outgoing requests; refusals are error texts for the caller. */
export interface TargetPolicy {
  /**
   * Returns why the URL may not be called; null where it may, without resolving its host. `ownOrigins` matches the
   * origins that need no permission of the operator: those of a provider's own API; null for none.
   */
  readonly refuseUrl: (url: string, ownOrigins: RegExp | null) => string | null;
  /** Returns why the URL may not be called at a resolved address of its host; null where it may. */
  readonly refuseAddress: (url: string, address: string) => string | null;
}

/** Recognition of this service by itself. */
export interface OwnService {
  /** Returns whether others reach this service at an origin. */
  readonly isOwnOrigin: (origin: string) => boolean;
  /** Returns whether a listener of this service is at an address and a port. */
  readonly isOwnListener: (address: string, port: number) => boolean;
}

/** Recognition that recognises nothing, for tests and programs without listeners. */
export const noService: OwnService = { isOwnOrigin: () => false, isOwnListener: () => false };

/** Reason for which an outbound call to a listener of this service is refused. */
export const ownServiceText = "The service never calls itself";

/** Settings of the policy. */
export interface TargetRules {
  /** Recognition of this service, which is never called; {@link noService} by default. */
  readonly own?: OwnService;
  /** `http://host:port` and `https://host:port`. */
  readonly origins: readonly string[];
  /** True when loopback addresses may be called: while every listener is bound to loopback. */
  readonly allowsLoopback: boolean;
  /** Setting that lists `origins`, for error texts; `RESTANTE_CALLBACK_ORIGINS` by default. */
  readonly setting?: string;
}

/** Creates the policy. */
export function createTargetPolicy({
  own = noService,
  origins,
  allowsLoopback,
  setting = "RESTANTE_CALLBACK_ORIGINS",
}: TargetRules): TargetPolicy {
  const listHint = `${setting} can allow it`;
  const listed = new Set(origins.map((origin) => URL.parse(origin)?.origin ?? origin));
  return {
    refuseUrl: (text, ownOrigins) => {
      const url = URL.parse(text);
      const refusal = refuseForAll(url, own);
      if (url === null || refusal !== null) return refusal;
      if (listed.has(url.origin)) return null;
      if (allowsLoopback && isLoopbackName(hostOf(url))) return null;
      if (ownOrigins?.test(url.origin) === true) return null;
      return `The operator has not allowed calls to ${url.origin}; ${listHint}`;
    },
    refuseAddress: (text, address) => {
      const url = URL.parse(text);
      if (url === null || isNeverCalled(address)) return "Link-local and metadata addresses are never called";
      if (own.isOwnListener(address, portOf(url))) return ownServiceText;
      const isOwnMachine = isLoopback(address);
      if (isOwnMachine && !allowsLoopback && !isLoopbackName(hostOf(url))) return "Its host is this machine";
      if (!isOwnMachine && isLoopbackName(hostOf(url))) return "Its host is not this machine";
      if (listed.has(url.origin) || isOwnMachine || isPublicAddress(address)) return null;
      return `Its host is not on the public Internet; ${listHint}`;
    },
  };
}

/**
 * Returns whether an address is never called: link-local (RFC 3927, RFC 4291
 * §2.5.6), metadata services of clouds, unspecified, multicast and broadcast addresses, and every IPv6 form that
 * embeds an IPv4 address, except NAT64 (RFC 6052) in front of a public one.
 */
export function isNeverCalled(text: string): boolean {
  const bytes = parseIpAddress(text);
  if (bytes === undefined) return true;
  if (bytes.length === 4) return isNeverCalledIpv4(bytes);
  const hex = hexOf(bytes);
  if (hex === loopbackIpv6) return false;
  if (neverIpv6.some((prefix) => hex.startsWith(prefix)) || metadataIpv6.has(hex)) return true;
  if (hex.startsWith("0064ff9b0000000000000000")) return !isPublicAddress(bytes.subarray(12).join("."));
  // ISATAP, RFC 5214 §6.1.
  return /^.{16}0[02]005efe/.test(hex);
}

const loopbackIpv6 = "00000000000000000000000000000001";
/** fe80::/10, fec0::/10 (RFC 3879), multicast, ::/96 (compatible), 64:ff9b:1::/48, 2001::/32 (Teredo), 2002::/16 (6to4). */
const neverIpv6: readonly string[] = [
  ..."fe8 fe9 fea feb fec fed fee fef ff".split(" "),
  "000000000000000000000000",
  "0064ff9b0001",
  "20010000",
  "2002",
];
/** fd00:ec2::254 (AWS), fd00:ec2::23 (EKS Pod Identity), fd20:ce::254 (Google). */
const metadataIpv6: ReadonlySet<string> = new Set([
  "fd000ec2000000000000000000000254",
  "fd000ec2000000000000000000000023",
  "fd2000ce000000000000000000000254",
]);
/** Alibaba, Azure, Oracle. */
const metadataIpv4: ReadonlySet<string> = new Set(["100.100.100.200", "168.63.129.16", "192.0.0.192"]);

function isNeverCalledIpv4(bytes: Uint8Array): boolean {
  const [first = 0, second = 0] = bytes;
  return (first === 169 && second === 254) || first === 0 || first >= 224 || metadataIpv4.has(bytes.join("."));
}

function isLoopback(address: string): boolean {
  const bytes = parseIpAddress(address);
  return bytes?.length === 4 ? bytes[0] === 127 : bytes !== undefined && hexOf(bytes) === loopbackIpv6;
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

function isLoopbackName(host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, "");
  return name === "localhost" || name.endsWith(".localhost") || isLoopback(name);
}

/** Returns why nobody may call a URL, whatever the operator allows; null for others. */
function refuseForAll(url: URL | null, own: OwnService): string | null {
  if (url === null || !/^https?:$/.test(url.protocol)) return "Must be an http or https URL";
  if (url.username !== "" || url.password !== "") return "Must not carry a user name or password";
  const address = hostOf(url);
  if (isIP(address) !== 0 && isNeverCalled(address)) return "Link-local and metadata addresses are never called";
  return isOwn(url, own) ? ownServiceText : null;
}

function isOwn(url: URL, own: OwnService): boolean {
  const host = hostOf(url);
  return own.isOwnOrigin(url.origin) || own.isOwnListener(isLoopbackName(host) ? "127.0.0.1" : host, portOf(url));
}

/** Returns the port of an http or https URL. */
export function portOf({ port, protocol }: Pick<URL, "port" | "protocol">): number {
  return port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}
