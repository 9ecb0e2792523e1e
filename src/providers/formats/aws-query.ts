/** Requests of the AWS Query protocol: forms whose names are paths (`Destination.ToAddresses.member.1`). */
import { formFieldCountMax } from "../../core/arrival-rate.ts";
import { decodeFormText } from "../../core/read-form.ts";
import { inTurns, type Steps } from "../../core/read-form.ts";
import type { JsonObject } from "./json-body.ts";

const pathLengthMax = 500;
const segmentCountMax = 12;

const ampersand = 0x26;
const equals = 0x3d;

/** Object while it is being filled; it has no prototype, so that any name is safe. */
interface Branch {
  [name: string]: string | Branch;
}

/**
 * Returns the parameters of a body as a nested object, in which `X.member.N` and `X.entry.N` are arrays, in the order of N;
 * undefined for more than {@link formFieldCountMax} fields. The first of equal names wins. Takes linear time, also for
 * bodies with large values, which are decoded once, and leaves turns of the event loop to others.
 */
export async function readQuery(body: Uint8Array): Promise<JsonObject | undefined> {
  return inTurns(readParameters(body));
}

function* readParameters(body: Uint8Array): Steps<JsonObject | undefined> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const root = newBranch();
  let fieldCount = 0;
  for (let start = 0; start < bytes.length;) {
    const found = bytes.indexOf(ampersand, start);
    const end = found === -1 ? bytes.length : found;
    fieldCount += 1;
    if (fieldCount > formFieldCountMax) return undefined;
    if (end > start) yield* addField(root, bytes.subarray(start, end));
    start = end + 1;
    yield;
  }
  return toLists(root) as JsonObject;
}

function newBranch(): Branch {
  return Object.create(null) as Branch;
}

function* addField(root: Branch, field: Buffer): Steps<void> {
  const found = field.indexOf(equals);
  const nameEnd = found === -1 ? field.length : found;
  if (nameEnd > pathLengthMax) return;
  const segments = (yield* decodeFormText(field.subarray(0, nameEnd))).split(".");
  if (segments.length > segmentCountMax) return;
  const last = segments.pop() ?? "";
  let branch = root;
  for (const segment of segments) {
    const next = (branch[segment] ??= newBranch());
    if (typeof next === "string") return;
    branch = next;
  }
  branch[last] ??= yield* decodeFormText(field.subarray(nameEnd + 1));
}

/** Replaces each branch that has only the member `member` or `entry`, with numbers below, by an array. */
function toLists(node: string | Branch): unknown {
  if (typeof node === "string") return node;
  const names = Object.keys(node);
  const list = names.length === 1 ? (node["member"] ?? node["entry"]) : undefined;
  if (typeof list === "object" && Object.keys(list).every((name) => /^\d{1,9}$/.test(name))) {
    // Numeric names are in ascending order, unless they have leading zeros.
    return Object.keys(list)
      .toSorted((a, b) => Number(a) - Number(b))
      .map((name) => toLists(list[name] ?? ""));
  }
  const object = Object.create(null) as Record<string, unknown>;
  for (const name of names) object[name] = toLists(node[name] ?? "");
  return object;
}
