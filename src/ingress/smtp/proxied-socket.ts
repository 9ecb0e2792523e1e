import { type Socket, SocketAddress, isIPv4, isIPv6 } from "node:net";
import type { Clock } from "../../core/clock.ts";

/** Time limit for the PROXY header. */
export const proxyHeaderMsMax = 5000;

/** Outcome: the address of the client, null for connections of the balancer itself; `missing` or `left` without a header. */
export type ProxyHeaderOutcome = { readonly address: string | null } | "missing" | "left";

/**
 * Reads the PROXY header of a connection and calls `settle` once; bytes after the header can then be read from the socket.
 * The outcome is `missing` for other bytes and after {@link proxyHeaderMsMax} without any, since SMTP clients wait for
 * the greeting; `left` when the connection closes first.
 */
export function takeProxyHeader(
  socket: Socket,
  clock: Pick<Clock, "after">,
  settle: (outcome: ProxyHeaderOutcome) => void,
): void {
  let held: Buffer = Buffer.alloc(0);
  const finish = (outcome: ProxyHeaderOutcome): void => {
    cancel();
    socket.off("readable", read).off("end", leave).off("error", leave).off("close", leave);
    settle(outcome);
  };
  const read = (): void => {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) return;
    held = Buffer.concat([held, chunk]);
    const header = readProxyHeader(held);
    if (header === "incomplete") return;
    if (header === "malformed") {
      finish("missing");
      return;
    }
    if (held.length > header.length) socket.unshift(held.subarray(header.length));
    finish({ address: header.address });
  };
  const leave = (): void => {
    finish("left");
  };
  const cancel = clock.after(proxyHeaderMsMax, () => {
    finish("missing");
  });
  socket.on("readable", read).on("end", leave).on("error", leave).on("close", leave);
}

/** PROXY header that a load balancer sends before the first byte of its client. */
interface ProxyHeader {
  /** Length in bytes. */
  readonly length: number;
  /** Address of the client, IPv4 or IPv6 in its shortest form; null for connections of the balancer itself and for UNKNOWN. */
  readonly address: string | null;
}

/** Longest line of version 1, with its line end. */
const lineLengthMax = 107;
/** Longest payload of version 2; type-length-value fields after the addresses are skipped. */
const binaryLengthMax = 4096;
const linePattern = /^PROXY (TCP4|TCP6) (\S+) (\S+) (\S+) (\S+)$/;
const lineStart = Buffer.from("PROXY ", "latin1");
const signature = Buffer.from("\r\n\r\n\0\r\nQUIT\n", "latin1");
const fixedLength = 16;

/**
 * Parses the header of HAProxy's PROXY protocol, versions 1 and 2, at the start of a connection. Returns `incomplete` while
 * more bytes could complete a header, which ends after at most 4112 bytes.
 */
export function readProxyHeader(bytes: Buffer): ProxyHeader | "incomplete" | "malformed" {
  if (isPrefixOf(bytes, signature)) return bytes.length < fixedLength ? "incomplete" : readBinary(bytes);
  if (isPrefixOf(bytes, lineStart)) return readLine(bytes);
  return "malformed";
}

function isPrefixOf(bytes: Buffer, start: Buffer): boolean {
  const length = Math.min(bytes.length, start.length);
  return bytes.subarray(0, length).equals(start.subarray(0, length));
}

function readLine(bytes: Buffer): ProxyHeader | "incomplete" | "malformed" {
  const line = bytes.subarray(0, lineLengthMax).toString("latin1");
  const end = line.indexOf("\r\n");
  if (end < 0) return bytes.length < lineLengthMax ? "incomplete" : "malformed";
  const address = clientOf(line.slice(0, end));
  return address === undefined ? "malformed" : { length: end + 2, address };
}

function clientOf(line: string): string | null | undefined {
  if (/^PROXY UNKNOWN(?: |$)/.test(line)) return null;
  const [, family, source = "", destination = "", ...ports] = linePattern.exec(line) ?? [];
  const isAddress = family === "TCP4" ? isIPv4 : isPlainIPv6;
  return isAddress(source) && isAddress(destination) && ports.every(isPort) ? shortest(source) : undefined;
}

/** Returns whether the text is an IPv6 address without a zone, which is only valid on its own machine. */
function isPlainIPv6(text: string): boolean {
  return isIPv6(text) && !text.includes("%");
}

function isPort(text: string): boolean {
  return /^(?:0|[1-9]\d{0,4})$/.test(text) && Number(text) <= 65_535;
}

/** Length of both addresses and ports, by the byte for address family and transport. */
const addressesLength: ReadonlyMap<number, number> = new Map([
  [0x11, 12], // TCP over IPv4
  [0x21, 36], // TCP over IPv6
]);

function readBinary(bytes: Buffer): ProxyHeader | "incomplete" | "malformed" {
  const [command = 0, family = 0] = bytes.subarray(12, 14);
  const rest = bytes.readUInt16BE(14);
  const length = fixedLength + rest;
  const isLocal = command === 0x20;
  if ((!isLocal && command !== 0x21) || rest > binaryLengthMax) return "malformed";
  const needed = isLocal ? undefined : addressesLength.get(family);
  if (needed !== undefined && rest < needed) return "malformed";
  if (bytes.length < length) return "incomplete";
  return { length, address: needed === undefined ? null : addressAt(bytes, family === 0x11 ? 4 : 16) };
}

function addressAt(bytes: Buffer, size: 4 | 16): string {
  const address = bytes.subarray(fixedLength, fixedLength + size);
  if (size === 4) return address.join(".");
  return shortest(address.toString("hex").match(/.{4}/g)?.join(":") ?? "");
}

function shortest(address: string): string {
  return isIPv4(address) ? address : new SocketAddress({ address, family: "ipv6" }).address;
}

/** Connected client. */
export interface Client {
  readonly socket: Socket;
  /** IPv4 or IPv6 address; behind a load balancer that of the PROXY header. */
  readonly address: string;
}
