/** SMTP passwords of servers, which are sealed in the store. */
import type { ServerId } from "../../../core/ids.ts";
import type { Store } from "../../../store/store.ts";
import type { SecretBox } from "./secret-box.ts";

type Box = Pick<SecretBox, "seal" | "open">;

/** Prefix of sealed passwords. */
const sealedPrefix = "sealed:";

/** Returns the stored form of a server's password: `sealed:` and the base64url of the secret box's bytes. */
export function sealServerPassword(box: Box, id: ServerId, password: string): string {
  return `${sealedPrefix}${Buffer.from(box.seal(password, ownerOf(id))).toString("base64url")}`;
}

/** Returns the password of its stored form; undefined when it was sealed with another secret key or for another server, or is not sealed. */
export function openServerPassword(box: Box, id: ServerId, stored: string): string | undefined {
  if (!stored.startsWith(sealedPrefix)) return undefined;
  return box.open(Buffer.from(stored.slice(sealedPrefix.length), "base64url"), ownerOf(id));
}

/** Returns the number of servers whose password was sealed with another secret key, and is invalid. */
export async function countForeignPasswords(
  store: Pick<Store, "listServers" | "getServerPassword">,
  box: Box,
): Promise<number> {
  let count = 0;
  for (const { id } of await store.listServers()) {
    const stored = await store.getServerPassword(id);
    if (stored !== undefined && openServerPassword(box, id, stored) === undefined) count += 1;
  }
  return count;
}

/** Binds a sealed password to its server, so that it opens nothing when it is copied to another one. */
function ownerOf(id: ServerId): string {
  return `server password ${id}`;
}
