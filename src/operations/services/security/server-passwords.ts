/** SMTP passwords of servers, which are sealed in the store. */
import type { ServerId } from "../../../core/ids.ts";
import type { Context } from "../../context.ts";
import type { SecretBox } from "./secret-box.ts";

type Box = Pick<SecretBox, "seal" | "open">;

/** Prefix of sealed passwords; older versions stored passwords as given. */
const sealedPrefix = "sealed:";

/** Returns the stored form of a server's password: `sealed:` and the base64url of the secret box's bytes. */
export function sealServerPassword(box: Box, id: ServerId, password: string): string {
  return `${sealedPrefix}${Buffer.from(box.seal(password, ownerOf(id))).toString("base64url")}`;
}

/** Returns the sealed form of a stored password. */
export function resealServerPassword(box: Box, id: ServerId, stored: string): string {
  return stored.startsWith(sealedPrefix) ? stored : sealServerPassword(box, id, stored);
}

/** Returns the password of its stored form; undefined when it was sealed with another secret key or for another server. */
export function openServerPassword(box: Box, id: ServerId, stored: string): string | undefined {
  if (!stored.startsWith(sealedPrefix)) return stored;
  return box.open(Buffer.from(stored.slice(sealedPrefix.length), "base64url"), ownerOf(id));
}

/**
 * Seals the passwords that older versions stored as given; returns the number of servers whose password was sealed with
 * another secret key.
 */
export async function sealServerPasswords({ store, secrets }: Pick<Context, "store" | "secrets">): Promise<number> {
  let foreignCount = 0;
  for (const { id } of await store.listServers()) {
    const stored = await store.getServerPassword(id);
    if (stored === undefined) continue;
    const sealed = resealServerPassword(secrets, id, stored);
    if (sealed !== stored) await store.setServerPassword(id, sealed, stored);
    else if (openServerPassword(secrets, id, stored) === undefined) foreignCount += 1;
  }
  return foreignCount;
}

/** Binds a sealed password to its server, so that it opens nothing when it is copied to another one. */
function ownerOf(id: ServerId): string {
  return `server password ${id}`;
}
