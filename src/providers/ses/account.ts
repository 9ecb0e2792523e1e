/**
 * Identities and configuration sets of the account. All identities are verified from their creation on, and mail may be
 * sent from any other address too; of configuration sets only the names are stored.
 */
import { createHash } from "node:crypto";
import type { EmailSession } from "../email.ts";
import { isEmailAddress } from "../formats/mailbox.ts";
import { Collection } from "../kit/objects.ts";
import type { Rejection } from "../kit/rejection.ts";
import { rejection } from "./errors.ts";

/** Quota as both versions of the API report it: of an account with production access. The service does not enforce it. */
export const sendQuota = { Max24HourSend: 50_000, MaxSendRate: 14, SentLast24Hours: 0 } as const;

/** Identity: an address or a domain. */
export interface Identity {
  readonly name: string;
  readonly type: "address" | "domain";
}

const nameLengthMax = 200;
const domain = /^(?=.{1,200}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/i;

/** Returns an address or domain as an identity; throws `invalid`. */
export function identityOf(name: string): Identity {
  const identity = parseIdentity(name);
  if (identity !== undefined) return identity;
  throw rejection("invalid", `Invalid email address or domain name <${name.slice(0, nameLengthMax)}>.`);
}

function parseIdentity(name: string): Identity | undefined {
  if (name.length <= nameLengthMax && isEmailAddress(name)) return { name, type: "address" };
  return domain.test(name) ? { name, type: "domain" } : undefined;
}

function openIdentities(session: EmailSession): Collection<Pick<Identity, "type">> {
  return new Collection(session, "identity");
}

/** Stores an identity; false when it is stored already. */
export async function createIdentity(session: EmailSession, { name, type }: Identity): Promise<boolean> {
  return openIdentities(session).create(name, { type });
}

/** Returns a stored identity; undefined without one. */
export async function findIdentity(session: EmailSession, name: string): Promise<Identity | undefined> {
  const found = parseIdentity(name) === undefined ? undefined : await openIdentities(session).find(name);
  return found === undefined ? undefined : { name, type: found.type };
}

/** Returns identities in the order of their creation, at most 1000 after skipping `offset`. */
export async function listIdentities(session: EmailSession, offset: number): Promise<readonly Identity[]> {
  return (await openIdentities(session).page(offset)).map(({ id, value }) => ({ name: id, type: value.type }));
}

/** Removes an identity; false when there is none. */
export async function deleteIdentity(session: EmailSession, name: string): Promise<boolean> {
  return parseIdentity(name) !== undefined && openIdentities(session).remove(name);
}

/** Returns the token of the TXT record that would verify a domain; the same for every call. */
export function verificationToken(name: string): string {
  return createHash("sha256").update(name.toLowerCase()).digest("base64");
}

const dkimTokenCount = 3;
const dkimTokenLength = 32;

/** Returns the tokens of the DKIM records of a domain; the same for every call. */
export function dkimTokens(name: string): readonly string[] {
  return Array.from({ length: dkimTokenCount }, (_, at) =>
    createHash("sha256")
      .update(`${String(at)} ${name.toLowerCase()}`)
      .digest("hex")
      .slice(0, dkimTokenLength),
  );
}

const setPattern = /^[\w-]{1,64}$/;
const shownLengthMax = 64;

function openSets(session: EmailSession): Collection<object> {
  return new Collection(session, "configuration-set");
}

/** Stores a configuration set; throws `invalid` and `configurationSetExists`. */
export async function createConfigurationSet(session: EmailSession, name: string): Promise<void> {
  if (!setPattern.test(name)) {
    throw rejection("invalid", `Invalid configuration set name <${name.slice(0, shownLengthMax)}>.`);
  }
  if (await openSets(session).create(name, {})) return;
  throw rejection("configurationSetExists", `Configuration set <${name}> already exists.`);
}

/** Throws `configurationSetMissing` when no such configuration set is stored. */
export async function checkConfigurationSet(session: EmailSession, name: string): Promise<void> {
  if (!setPattern.test(name) || (await openSets(session).find(name)) === undefined) throw unknownSet(name);
}

/** Returns the names of configuration sets, at most 1000 after skipping `offset`. */
export async function listConfigurationSets(session: EmailSession, offset: number): Promise<readonly string[]> {
  return (await openSets(session).page(offset)).map(({ id }) => id);
}

/** Removes a configuration set; throws `configurationSetMissing`. */
export async function deleteConfigurationSet(session: EmailSession, name: string): Promise<void> {
  if (!setPattern.test(name) || !(await openSets(session).remove(name))) throw unknownSet(name);
}

function unknownSet(name: string): Rejection {
  return rejection("configurationSetMissing", `Configuration set <${name}> does not exist.`, {
    ConfigurationSetName: name,
  });
}
