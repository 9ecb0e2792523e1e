/** Lines of an export, but for messages → a store. What is there with the same content is left, with other it is refused. */
import { freshKey } from "../core/api-key.ts";
import { Problem } from "../core/errors.ts";
import type { OwnedNumber } from "../core/owned-number.ts";
import type { SecretBox } from "../operations/services/security/secret-box.ts";
import { openServerPassword, resealServerPassword } from "../operations/services/security/server-passwords.ts";
import type { Store } from "../store/store.ts";
import type {
  AddressLine,
  BodyLine,
  DeviceLine,
  KeyLine,
  NumberLine,
  PhrasesLine,
  ServerLine,
} from "./export-lines.ts";

/** Something is there that is not what the line says; the message names it. */
export class ContentRefused extends Error {
  override readonly name: string = "ContentRefused";
}

/** Lines that stand for themselves. */
export type PlacedLine = Exclude<BodyLine, { readonly kind: "message" | "end" }>;

/** Store that lines are put into. */
export interface LineTarget {
  readonly store: Store;
  /** Seals and compares passwords of servers; null where the secret key of the target is not known yet. */
  readonly secrets: SecretBox | null;
}

/** Puts what a line says into the store. Throws {@link ContentRefused}. */
export async function placeLine({ store, secrets }: LineTarget, line: PlacedLine): Promise<void> {
  switch (line.kind) {
    case "server":
      return await placeServer({ store, secrets }, line);
    case "key":
      return await placeKey(store, line);
    case "number":
      return await placeNumber(store, line);
    case "device":
      return await placeDevice(store, line);
    case "address":
      return await placeAddress(store, line);
    case "phrases":
      return await placePhrases(store, line);
    case "usage":
      return await store.raiseUsage(line.days);
  }
}

async function placeServer({ store, secrets }: LineTarget, { kind: _kind, zone, ...line }: ServerLine): Promise<void> {
  const open = (stored: string): string =>
    secrets === null ? stored : (openServerPassword(secrets, line.id, stored) ?? stored);
  const server = secrets === null ? line : { ...line, password: resealServerPassword(secrets, line.id, line.password) };
  const isNew = await succeeds(store.createServer(server));
  if (!isNew) {
    const present = await store.getServer(server.id);
    const { retired: _retired, messages: _messages, bytes: _bytes, quota, ...there } = present ?? {};
    const { retired: _wanted, quota: wantedQuota = quota, password, ...wanted } = server;
    const known = { ...there, quota, password: open((await store.getServerPassword(server.id)) ?? "") };
    refuseOther(`server ${server.id}`, known, { ...wanted, quota: wantedQuota, password: open(password) });
  }
  if (zone === null) return;
  const kept = await store.getZone(server.id);
  if (kept === undefined) await store.putZone(server.id, zone);
  else if (kept !== zone) throw new ContentRefused(`server ${server.id} has another zone`);
}

/** The same key under another id opens the same. */
async function placeKey(store: Store, { kind: _kind, ...key }: KeyLine): Promise<void> {
  const known = await store.findKey(key.hash);
  if (known !== undefined) {
    if (known.server !== key.server) throw new ContentRefused(`key ${key.id} is there and opens something else`);
    return;
  }
  if (!(await succeeds(store.addKey({ ...freshKey, ...key }))))
    throw new ContentRefused(`another key with the id ${key.id} is there`);
}

async function placeNumber(store: Store, { kind: _kind, sealedSecrets, ...number }: NumberLine): Promise<void> {
  const { phoneNumbers } = store;
  const sealed = sealedSecrets === null ? null : Buffer.from(sealedSecrets, "base64");
  const known = await phoneNumbers.findPhoneNumber(number.number);
  if (known === undefined) {
    const record: OwnedNumber = { ...number, sealedSecrets: sealed };
    if (await succeeds(phoneNumbers.addPhoneNumber(record))) return;
    throw new ContentRefused(`another phone number with the id ${number.id} is there`);
  }
  const there = { ...known, sealedSecrets: known.sealedSecrets === null ? null : toBase64(known.sealedSecrets) };
  refuseOther(`phone number ${number.number}`, there, { ...number, sealedSecrets });
}

async function placeDevice(store: Store, { kind: _kind, sealedSecret, ...device }: DeviceLine): Promise<void> {
  if (await succeeds(store.addDevice({ ...device, sealedSecret: Buffer.from(sealedSecret, "base64") }))) return;
  const known = await store.getDevice(device.id);
  const there = known === undefined ? {} : { ...known, sealedSecret: toBase64(known.sealedSecret) };
  refuseOther(`device ${device.id}`, there, { ...device, sealedSecret });
}

/** One that is verified by now needs nothing. */
async function placeAddress(store: Store, { kind: _kind, ...address }: AddressLine): Promise<void> {
  const { verifiedAddresses } = store;
  const known = await verifiedAddresses.findVerifiedAddress(address.address);
  if (known?.status === "Verified") return;
  if (known !== undefined) refuseOther(`address ${address.address}`, { ...known }, { ...address });
  else if (!(await succeeds(verifiedAddresses.addVerifiedAddress(address)))) {
    throw new ContentRefused(`another verified address with the id ${address.id} is there`);
  }
}

async function placePhrases({ phrases: store }: Store, { phrases }: PhrasesLine): Promise<void> {
  const known = await store.getPhrases();
  if (known === null) await store.setPhrases(phrases);
  else if (JSON.stringify(known) !== JSON.stringify(phrases)) throw new ContentRefused("other phrases are there");
}

/** False where something stands in the way. */
async function succeeds(made: Promise<unknown>): Promise<boolean> {
  return await made.then(
    () => true,
    (error: unknown) => {
      if (error instanceof Problem && error.code === "conflict") return false;
      throw error;
    },
  );
}

function refuseOther(
  what: string,
  there: Readonly<Record<string, unknown>>,
  wanted: Readonly<Record<string, unknown>>,
): void {
  const other = Object.keys(wanted).find((name) => !isSame(there[name], wanted[name]));
  if (other !== undefined) throw new ContentRefused(`${what} is there with another ${other}`);
}

/** Values out of JSON whose members may have another order. */
function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || a === null || typeof b !== "object" || b === null) return a === b;
  const [left, right] = [Object.entries(a), b as Readonly<Record<string, unknown>>];
  return left.length === Object.keys(right).length && left.every(([name, value]) => isSame(value, right[name]));
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}
