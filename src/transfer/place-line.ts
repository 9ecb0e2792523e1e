/** Import of lines other than messages. Existing objects with the same content are skipped; with other content they are an error. */
import { Problem } from "../core/errors.ts";
import type { ServerId } from "../core/ids.ts";
import type { OwnedNumber } from "../core/phone-number.ts";
import { noTeamLimits } from "../core/team-limits.ts";
import type { SecretBox } from "../operations/services/security/secret-box.ts";
import { newServerPassword } from "../operations/servers/servers.ts";
import { openServerPassword, sealServerPassword } from "../operations/services/security/stored-secrets.ts";
import type { Store } from "../store/store.ts";
import type { LineOf, BodyLine } from "./export-lines.ts";

/** Error about an existing object that differs from the line; the message names it. */
export class ContentConflict extends Error {
  override readonly name: string = "ContentConflict";
}

/** Lines other than header, messages and end. */
export type PlacedLine = Exclude<BodyLine, { readonly kind: "message" | "end" }>;

/** Target of the import. */
export interface LineTarget {
  readonly store: Store;
  /** Encrypts and compares passwords of servers; null when the target has no secret key yet. */
  readonly secrets: SecretBox | null;
  /** Instant of the import, in milliseconds since the Unix epoch. */
  readonly now: number;
  /** Called when a server gets a new password, because that of its line was encrypted with another secret key. */
  readonly onPasswordReset: (server: ServerId) => void;
}

/** Stores the object of a line. Throws {@link ContentConflict}. */
export async function placeLine(target: LineTarget, line: PlacedLine): Promise<void> {
  const { store } = target;
  switch (line.kind) {
    case "user":
      return await placeUser(store, line);
    case "team":
      return await placeTeam(store, line);
    case "membership":
      return await placeMembership(store, line);
    case "server":
      return await placeServer(target, line);
    case "key":
      return await placeKey(store, line);
    case "number":
      return await placeNumber(store, line);
    case "device":
      return await placeDevice(store, line);
    case "address":
      return await placeAddress(store, line);
    case "object":
      return await placeObject(store, line);
    case "phrases":
      return await placePhrases(store, line);
    case "usage":
      return await store.raiseUsage(line.days);
  }
}

/** Stores a user; one that exists may have signed in since. */
async function placeUser({ people }: Store, { kind: _kind, ...user }: LineOf<"user">): Promise<void> {
  if (await succeeds(people.addUser(user))) return;
  const { lastSeenAt: _lastSeenAt, ...expected } = user;
  refuseOther(`user ${user.email}`, { ...(await people.getUser(user.id)) }, expected);
}

async function placeTeam(
  { people, teamLimits }: Store,
  { kind: _kind, limits, ...team }: LineOf<"team">,
): Promise<void> {
  if (!(await succeeds(people.addTeam(team)))) {
    refuseOther(`team ${team.name}`, { ...(await people.getTeam(team.id)) }, team);
  }
  const stored = await teamLimits.getTeamLimits(team.id);
  const present = isSame(stored, noTeamLimits) ? null : stored;
  if (mayPlace(present, limits, `team ${team.name} has different limits`)) {
    await teamLimits.putTeamLimits(team.id, limits);
  }
}

async function placeMembership({ people }: Store, { kind: _kind, ...membership }: LineOf<"membership">): Promise<void> {
  const { user, team } = membership;
  const known = (await people.listMemberships({ user })).find((one) => one.team === team);
  if (mayPlace(known, membership, `user ${user} has a different role in team ${team}`)) {
    await people.changeMemberships({ put: [membership] });
  }
}

async function placeServer(
  target: LineTarget,
  { kind: _kind, zone, scanner, uidValidity, ...line }: LineOf<"server">,
): Promise<void> {
  const { store } = target;
  const { password, isNew: isNewPassword } = passwordOf(target, line);
  const server = { ...line, password };
  // Imported messages have new UIDs.
  const uidValidityMin = Math.max(Math.floor(target.now / 1000), uidValidity + 1);
  if (!(await succeeds(store.createServer({ ...server, uidValidityMin, trafficAt: target.now }))))
    await compareServer(target, server, isNewPassword);
  else if (isNewPassword) target.onPasswordReset(server.id);
  if (zone !== null && mayPlace(await store.getZone(server.id), zone, `server ${server.id} has a different zone`)) {
    await store.putZone(server.id, zone);
  }
  if (scanner === undefined) return;
  const stored = await store.scanners.findScanner(server.id);
  if (mayPlace(stored, scanner, `server ${server.id} has a different link scanner`)) {
    await store.scanners.setScanner(server.id, scanner);
  }
}

/** Returns whether nothing is stored yet. Throws {@link ContentConflict} when something else is. */
function mayPlace<Value>(stored: Value | null | undefined, value: Value, conflict: string): boolean {
  if (stored === null || stored === undefined) return true;
  if (!isSame(stored, value)) throw new ContentConflict(conflict);
  return false;
}

/** Returns the password to store: a new one when the target's secret key does not open that of the line. */
function passwordOf(
  { secrets }: LineTarget,
  { id, password }: Pick<LineOf<"server">, "id" | "password">,
): { readonly password: string; readonly isNew: boolean } {
  if (secrets === null) return { password, isNew: false };
  const isNew = openServerPassword(secrets, id, password) === undefined;
  return { password: isNew ? sealServerPassword(secrets, id, newServerPassword()) : password, isNew };
}

/**
 * Refuses a server whose existing object differs. Replaces an existing password that the secret key does not open, and
 * keeps one that it opens when the line's password is unknown.
 */
async function compareServer(
  target: LineTarget,
  server: Omit<LineOf<"server">, "kind" | "zone" | "scanner" | "uidValidity">,
  isNewPassword: boolean,
): Promise<void> {
  const { store, secrets } = target;
  const { id } = server;
  const {
    retired: _retired,
    messages: _messages,
    bytes: _bytes,
    uidValidity: _uidValidity,
    trafficAt: _trafficAt,
    ...existing
  } = (await store.getServer(id)) ?? {};
  const { retired: _expired, password, ...expected } = server;
  refuseOther(`server ${id}`, existing, expected);
  const open = (stored: string): string | undefined =>
    secrets === null ? stored : openServerPassword(secrets, id, stored);
  const stored = (await store.getServerPassword(id)) ?? "";
  const known = open(stored);
  if (known === undefined) {
    await store.setServerPassword(id, password, stored);
    if (isNewPassword) target.onPasswordReset(id);
  } else if (!isNewPassword && known !== open(password)) {
    throw new ContentConflict(`server ${id} exists with a different password`);
  }
}

/** Stores a key; an existing key with the same hash under another id is equivalent. */
async function placeKey(store: Store, { kind: _kind, ...key }: LineOf<"key">): Promise<void> {
  const known = await store.findKey(key.hash);
  if (known !== undefined) {
    if (known.server !== key.server) throw new ContentConflict(`key ${key.id} exists for another server`);
    return;
  }
  if (!(await succeeds(store.addKey({ ...key, owner: key.owner ?? null }))))
    throw new ContentConflict(`another key has the id ${key.id}`);
}

async function placeNumber(store: Store, { kind: _kind, sealedSecrets, ...number }: LineOf<"number">): Promise<void> {
  const { phoneNumbers } = store;
  const sealed = sealedSecrets === null ? null : Buffer.from(sealedSecrets, "base64");
  const known = await phoneNumbers.findPhoneNumber(number.number);
  if (known === undefined) {
    const record: OwnedNumber = { ...number, sealedSecrets: sealed };
    if (await succeeds(phoneNumbers.addPhoneNumber(record))) return;
    throw new ContentConflict(`another phone number has the id ${number.id}`);
  }
  const existing = { ...known, sealedSecrets: known.sealedSecrets === null ? null : toBase64(known.sealedSecrets) };
  refuseOther(`phone number ${number.number}`, existing, { ...number, sealedSecrets });
}

async function placeDevice(store: Store, { kind: _kind, sealedSecret, ...device }: LineOf<"device">): Promise<void> {
  if (await succeeds(store.addDevice({ ...device, sealedSecret: Buffer.from(sealedSecret, "base64") }))) return;
  const known = await store.getDevice(device.id);
  const existing = known === undefined ? {} : { ...known, sealedSecret: toBase64(known.sealedSecret) };
  refuseOther(`device ${device.id}`, existing, { ...device, sealedSecret });
}

/** Stores an address unless it has been verified since. */
async function placeAddress(store: Store, { kind: _kind, ...address }: LineOf<"address">): Promise<void> {
  const { verifiedAddresses } = store;
  const known = await verifiedAddresses.findVerifiedAddress(address.address);
  if (known?.status === "Verified") return;
  if (known !== undefined) refuseOther(`address ${address.address}`, { ...known }, { ...address });
  else if (!(await succeeds(verifiedAddresses.addVerifiedAddress(address)))) {
    throw new ContentConflict(`another verified address has the id ${address.id}`);
  }
}

async function placePhrases({ phrases: store }: Store, { phrases }: LineOf<"phrases">): Promise<void> {
  if (mayPlace(await store.getPhrases(), phrases, "different phrases exist")) await store.setPhrases(phrases);
}

async function placeObject({ providerObjects }: Store, line: LineOf<"object">): Promise<void> {
  const { objectKind: kind, provider, server, id, json, createdAt } = line;
  const key = { provider, server, kind, id };
  const change = { ...key, json, expiresAt: null, now: createdAt, version: 0, countMax: Number.MAX_SAFE_INTEGER };
  if (await providerObjects.putObject(change)) return;
  const known = await providerObjects.getObject(key, createdAt);
  refuseOther(`${provider} ${kind} ${id}`, { json: known?.json }, { json });
}

/** Whether the object was stored; false when one with the same id or name exists. */
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
  existing: Readonly<Record<string, unknown>>,
  expected: Readonly<Record<string, unknown>>,
): void {
  const other = Object.keys(expected).find((name) => !isSame(existing[name], expected[name]));
  if (other !== undefined) throw new ContentConflict(`${what} exists with a different value of ${other}`);
}

/** Returns whether two JSON values are equal, ignoring the order of members. */
function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || a === null || typeof b !== "object" || b === null) return a === b;
  const [left, right] = [Object.entries(a), b as Readonly<Record<string, unknown>>];
  return left.length === Object.keys(right).length && left.every(([name, value]) => isSame(value, right[name]));
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}
