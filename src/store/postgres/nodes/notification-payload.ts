/** Words between nodes as text: the node that says them, then one word after the other, separated by blanks. */
import { parseServerId } from "../../../core/ids.ts";
import type { Word } from "../../node-store.ts";

/** PostgreSQL takes payloads below 8000 bytes (documentation of NOTIFY). */
const payloadBytesMax = 7999;

/** As many payloads as the words need; all ASCII. */
export function payloadsOf(node: string, words: readonly Word[]): readonly string[] {
  const payloads: string[] = [];
  let current = node;
  for (const word of words) {
    const text = ` ${writeWord(word)}`;
    if (current.length + text.length > payloadBytesMax) {
      payloads.push(current);
      current = node;
    }
    if (current.length + text.length <= payloadBytesMax) current += text;
  }
  return [...payloads, current];
}

/** What a payload says. What is not understood is passed over: another version may have said it, or somebody else. */
export function readPayload(payload: string): { readonly node: string; readonly words: readonly Word[] } {
  const [node = "", ...texts] = payload.split(" ");
  return { node, words: texts.map(readWord).filter((word) => word !== undefined) };
}

function writeWord(word: Word): string {
  if (word.kind === "changed") return `c${word.server}:${word.sequence}`;
  return word.kind === "revoked" ? `r${encodeURIComponent(word.keyId ?? "")}` : `w${encodeURIComponent(word.address)}`;
}

function readWord(text: string): Word | undefined {
  const rest = text.slice(1);
  switch (text.charAt(0)) {
    case "c":
      return readChanged(rest);
    case "w":
      return readWrongSecret(rest);
    case "r":
      return readRevoked(rest);
    default:
      return undefined;
  }
}

function readChanged(text: string): Word | undefined {
  const [, id = "", digits = ""] = /^([a-z0-9]{8}):(\d{1,15})$/.exec(text) ?? [];
  const server = parseServerId(id);
  return server === undefined ? undefined : { kind: "changed", server, sequence: Number(digits) };
}

function readRevoked(text: string): Word | undefined {
  try {
    return { kind: "revoked", keyId: text === "" ? null : decodeURIComponent(text) };
  } catch {
    // Malformed, as the return value tells the caller.
    return undefined;
  }
}

function readWrongSecret(text: string): Word | undefined {
  try {
    return text === "" ? undefined : { kind: "wrong_secret", address: decodeURIComponent(text) };
  } catch {
    // Malformed, as the return value tells the caller.
    return undefined;
  }
}
