import { randomUUID } from "node:crypto";
import { Problem } from "../../../core/errors.ts";
import { uuidArray } from "../connection/arrays.ts";
import type { LargeContent } from "./blobs.ts";
import type { PartOwner, StoredContent, StoredPart } from "./content.ts";
import type { Database, Session } from "../connection/database.ts";
import { serverIdOf } from "../messages/id-slots.ts";

/** How long a message may take to come after its content; after that the content is removed. */
const waitMs = 60 * 60_000;
const removedCountPerStep = 100;

/** Large content outside the database; `blobs.ts` tells in which order what is written. */
export class ExternalContent {
  readonly #database: Database;
  readonly #content: LargeContent;

  constructor(database: Database, content: LargeContent) {
    this.#database = database;
    this.#content = content;
  }

  /** Keeps the parts that would lie in chunks; the answer names them. Rejects with `unavailable`. */
  async keep(server: number, content: StoredContent): Promise<StoredContent> {
    const detail = await this.#keepPart(server, content.detail);
    const raw = content.raw === null ? null : await this.#keepPart(server, content.raw);
    return { ...content, detail, raw };
  }

  /** The bytes under a name; undefined when they are gone. */
  async read(server: number, name: string): Promise<Uint8Array | undefined> {
    return await this.#content.get(keyOf(server, name));
  }

  /** At most `length` bytes under a name from position `start`; undefined when they are gone. */
  async readRange(
    server: number,
    name: string,
    range: { start: number; length: number },
  ): Promise<Uint8Array | undefined> {
    return await this.#content.getRange(keyOf(server, name), range.start, range.length);
  }

  /** Removes some of what is to go, of one server; false when there is none. */
  async sweep(): Promise<boolean> {
    const [next] = await this.#database.query<{ server_id: number }>(
      "/* all servers */ select server_id from outside_gone where due_at <= now() order by due_at limit 1",
    );
    if (next === undefined) return false;
    const { server_id: server } = next;
    let names: readonly string[] = [];
    try {
      return await this.#removeSome(server, (claimed) => (names = claimed));
    } catch (error) {
      // What cannot be removed goes to the end of the queue, so that the rest is removed.
      await this.#database.query(
        `update outside_gone set due_at = now() where server_id = $1 and name = any($2::uuid[])`,
        [server, namesOf(names)],
      );
      throw error;
    }
  }

  async #removeSome(server: number, onClaim: (names: readonly string[]) => void): Promise<boolean> {
    return await this.#database.transact(async (session) => {
      const rows = await session.query<{ name: string }>(
        `select name from outside_gone where server_id = $1 and due_at <= now()
         order by due_at limit ${removedCountPerStep} for update skip locked`,
        [server],
      );
      if (rows.length === 0) return false;
      const names = rows.map(({ name }) => name);
      onClaim(names);
      await session.query("delete from outside_gone where server_id = $1 and name = any($2::uuid[])", [
        server,
        namesOf(names),
      ]);
      // While the rows are held no message can take their content back; where this fails they stay.
      await this.#content.remove(names.map((name) => keyOf(server, name)));
      return true;
    });
  }

  async #keepPart(server: number, part: StoredPart): Promise<StoredPart> {
    if (part.chunks.length === 0) return part;
    const name = randomUUID();
    await this.#database.query(
      "insert into outside_gone (server_id, name, due_at) values ($1, $2, now() + $3::int8 * interval '1 millisecond')",
      [server, name, waitMs],
    );
    await this.#content.put(keyOf(server, name), Buffer.concat(part.chunks));
    return { ...part, outside: name };
  }
}

/** Gives what is kept under a name to a message of the same transaction. Rejects with `unavailable` when it is gone. */
export async function adopt(session: Session, owner: PartOwner, part: { number: number; name: string }): Promise<void> {
  const { server, epoch, slot } = owner;
  const [kept] = await session.query("delete from outside_gone where server_id = $1 and name = $2 returning 1 as one", [
    server,
    part.name,
  ]);
  if (kept === undefined) throw new Problem("unavailable", { retryAfterSeconds: 1 });
  await session.query("insert into outside (server_id, epoch, slot, part, name) values ($1, $2, $3, $4, $5)", [
    server,
    epoch,
    slot,
    part.number,
    part.name,
  ]);
}

/** Removes what belongs to messages and does not lie in their rows: parts, and texts to search. `where` speaks of the slot, by the third parameter. */
export async function removeParts(
  session: Session,
  where: "slot = any($3::uuid[])" | "slot <= $3",
  parameters: readonly unknown[],
): Promise<void> {
  const [server] = parameters;
  for (const table of ["chunk", "indexed_text"]) {
    await session.query(`delete from ${table} where server_id = $1 and epoch = $2 and ${where}`, parameters);
  }
  const gone = await session.query<{ name: string }>(
    `delete from outside where server_id = $1 and epoch = $2 and ${where} returning name`,
    parameters,
  );
  if (gone.length === 0) return;
  await session.query(
    "insert into outside_gone (server_id, name, due_at) select $1::bigint, name, now() from unnest($2::uuid[]) as g(name)",
    [server, namesOf(gone.map(({ name }) => name))],
  );
}

function keyOf(server: number, name: string): string {
  return `${serverIdOf(server)}/${name}`;
}

function namesOf(names: readonly string[]): Buffer {
  return uuidArray(names.map((name) => Buffer.from(name.replaceAll("-", ""), "hex")));
}
