import type { Session } from "../connection/database.ts";

/** Selection of one key by its id, or of all keys of a server by its number. */
export type KeySelection = { readonly id: string } | { readonly server: number };

/** Removes keys with their sign-ins, in the caller's transaction; returns their number. */
export async function removeKeys(session: Session, selection: KeySelection): Promise<number> {
  const [column, value] = "id" in selection ? ["id", selection.id] : ["server_id", selection.server];
  const removed = await session.query<{ hash: string; former_hash: string | null }>(
    `delete from api_key where ${column} = $1 returning hash, former_hash`,
    [value],
  );
  if (removed.length === 0) return 0;
  await session.query("delete from sign_in where key_hash = any($1::text[])", [
    removed.flatMap(({ hash, former_hash: former }) => (former === null ? [hash] : [hash, former])),
  ]);
  return removed.length;
}
