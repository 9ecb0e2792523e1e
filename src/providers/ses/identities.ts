/** Identities. All are verified from their creation on, and mail may be sent from any other address too. */
import { createHash } from "node:crypto";
import type { EmailSession, ProviderObject } from "../email.ts";
import { isEmailAddress } from "../formats/mailbox.ts";
import { SesError } from "./errors.ts";

/** Identity: an address or a domain. */
export interface Identity {
  readonly name: string;
  readonly type: "address" | "domain";
}

const kind = "identity";
const nameLengthMax = 200;
const domain = /^(?=.{1,200}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/i;

/** Returns an address or domain as an identity; throws `invalid`. */
export function identityOf(name: string): Identity {
  const identity = parseIdentity(name);
  if (identity !== undefined) return identity;
  throw new SesError("invalid", `Invalid email address or domain name <${name.slice(0, nameLengthMax)}>.`);
}

function parseIdentity(name: string): Identity | undefined {
  if (name.length <= nameLengthMax && isEmailAddress(name)) return { name, type: "address" };
  return domain.test(name) ? { name, type: "domain" } : undefined;
}

/** Stores an identity; false when it is stored already. */
export async function createIdentity({ objects }: EmailSession, { name, type }: Identity): Promise<boolean> {
  return objects.put(kind, name, { value: { type }, version: 0 });
}

/** Returns a stored identity; undefined without one. */
export async function findIdentity({ objects }: EmailSession, name: string): Promise<Identity | undefined> {
  const found = parseIdentity(name) === undefined ? undefined : await objects.get(kind, name);
  return found === undefined ? undefined : toIdentity(found);
}

/** Returns identities in the order of their creation, at most 1000 after skipping `offset`. */
export async function listIdentities({ objects }: EmailSession, offset: number): Promise<readonly Identity[]> {
  return (await objects.list(kind, offset)).map(toIdentity);
}

/** Removes an identity; false when there is none. */
export async function deleteIdentity({ objects }: EmailSession, name: string): Promise<boolean> {
  return parseIdentity(name) !== undefined && objects.remove(kind, name);
}

function toIdentity({ id, value }: ProviderObject): Identity {
  return { name: id, type: (value as Pick<Identity, "type">).type };
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
