/** Payloads of NOTIFY: the id of the sending node, then notifications, separated by spaces. */
import { parseServerId } from "../../../core/ids.ts";
import type { NodeNotification } from "../../node-store.ts";

/** Payloads must be shorter than 8000 bytes (PostgreSQL documentation of NOTIFY). */
const payloadBytesMax = 7999;

/** Encodes notifications in as many payloads as needed; all ASCII. */
export function payloadsOf(node: string, notifications: readonly NodeNotification[]): readonly string[] {
  const payloads: string[] = [];
  let current = node;
  for (const notification of notifications) {
    const text = ` ${encodeNotification(notification)}`;
    if (current.length + text.length > payloadBytesMax) {
      payloads.push(current);
      current = node;
    }
    if (current.length + text.length <= payloadBytesMax) current += text;
  }
  return [...payloads, current];
}

/** Decodes a payload. Unknown parts are skipped: they may come from another version. */
export function readPayload(payload: string): {
  readonly node: string;
  readonly notifications: readonly NodeNotification[];
} {
  const [node = "", ...texts] = payload.split(" ");
  return { node, notifications: texts.map(decodeNotification).filter((notification) => notification !== undefined) };
}

function encodeNotification(notification: NodeNotification): string {
  if (notification.kind === "traced") {
    const { traceId, spanId } = notification.span;
    return `t${notification.server}:${notification.sequence}:${traceId}:${spanId}`;
  }
  if (notification.kind === "changed") return `c${notification.server}:${notification.sequence}`;
  return notification.kind === "revoked"
    ? `r${encodeURIComponent(notification.keyId ?? "")}`
    : `w${encodeURIComponent(notification.address)}`;
}

function decodeNotification(text: string): NodeNotification | undefined {
  const rest = text.slice(1);
  switch (text.charAt(0)) {
    case "c":
      return readChanged(rest);
    case "t":
      return readTraced(rest);
    case "w":
      return readWrongSecret(rest);
    case "r":
      return readRevoked(rest);
    default:
      return undefined;
  }
}

/** Only recorded spans are sent. */
function readTraced(text: string): NodeNotification | undefined {
  const [, change = "", traceId = "", spanId = ""] = /^(.{1,24}):([0-9a-f]{32}):([0-9a-f]{16})$/.exec(text) ?? [];
  const changed = readChanged(change);
  if (changed?.kind !== "changed") return undefined;
  return { ...changed, kind: "traced", span: { traceId, spanId, isSampled: true } };
}

function readChanged(text: string): NodeNotification | undefined {
  const [, id = "", digits = ""] = /^([a-z0-9]{8}):(\d{1,15})$/.exec(text) ?? [];
  const server = parseServerId(id);
  return server === undefined ? undefined : { kind: "changed", server, sequence: Number(digits) };
}

function readRevoked(text: string): NodeNotification | undefined {
  try {
    return { kind: "revoked", keyId: text === "" ? null : decodeURIComponent(text) };
  } catch {
    // Malformed, as the return value tells the caller.
    return undefined;
  }
}

function readWrongSecret(text: string): NodeNotification | undefined {
  try {
    return text === "" ? undefined : { kind: "wrong_secret", address: decodeURIComponent(text) };
  } catch {
    // Malformed, as the return value tells the caller.
    return undefined;
  }
}
