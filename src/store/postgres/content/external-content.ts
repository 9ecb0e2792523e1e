import { randomUUID } from "node:crypto";
import { Problem } from "../../../core/errors.ts";
import { uuidArray } from "../connection/parameters.ts";
import type { LargeContent } from "./blobs.ts";
import type { PartOwner, StoredContent, StoredPart } from "./content.ts";
import { rowsOf, type Query } from "../../sql/query.ts";
import type { Database } from "../connection/database.ts";
import { serverIdOf } from "../messages/id-slots.ts";

/** Longest time between storing content and its message; orphaned content is removed after that. */
const waitMs = 60 * 60_000;
const removedCountPerStep = 100;

/** Large content in external storage; `blobs.ts` documents the order of writes. */
export class ExternalContent {
  readonly #database: Database;
  readonly #content: LargeContent;

  constructor(database: Database, content: LargeContent) {
    this.#database = database;
    this.#content = content;
  }

  /** Stores the parts that would be in chunks and returns their names. Rejects with `unavailable`. */
  async keep(server: number, content: StoredContent): Promise<StoredContent> {
    const detail = await this.#keepPart(server, content.detail);
    const raw = content.raw === null ? null : await this.#keepPart(server, content.raw);
    return { ...content, detail, raw };
  }

  /** Returns the bytes of a name; undefined when they were removed. */
  async read(server: number, name: string): Promise<Uint8Array | undefined> {
    return await this.#content.get(keyOf(server, name));
  }

  /** Returns at most `length` bytes of a name from position `start`; undefined when they were removed. */
  async readRange(
    server: number,
    name: string,
    range: { start: number; length: number },
  ): Promise<Uint8Array | undefined> {
    return await this.#content.getRange(keyOf(server, name), range.start, range.length);
  }

  /** Removes some due content of one server; returns false when there is none. */
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
      // Content that cannot be removed goes to the end of the queue, so that the rest is removed.
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
      // While the rows are locked no message can adopt their content; when removing fails they stay.
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

/** Assigns stored content to a message of the same transaction. Rejects with `unavailable` when it was removed. */
export function* adopt(owner: PartOwner, part: { number: number; name: string }): Query<void> {
  const { server, epoch, slot } = owner;
  const [kept] = yield* rowsOf("delete from outside_gone where server_id = $1 and name = $2 returning 1 as one", [
    server,
    part.name,
  ]);
  if (kept === undefined) throw new Problem("unavailable", { retryAfterSeconds: 1 });
  yield* rowsOf("insert into outside (server_id, epoch, slot, part, name) values ($1, $2, $3, $4, $5)", [
    server,
    epoch,
    slot,
    part.number,
    part.name,
  ]);
}

/**
 * Removes parts of messages from the other tables. `where` is a condition on the slot, with the
 * third parameter.
 */
export function* removeParts(
  where: "slot = any($3::uuid[])" | "slot <= $3",
  parameters: readonly unknown[],
): Query<void> {
  const [server] = parameters;
  yield* rowsOf(`delete from chunk where server_id = $1 and epoch = $2 and ${where}`, parameters);
  const gone = yield* rowsOf<{ name: string }>(
    `delete from outside where server_id = $1 and epoch = $2 and ${where} returning name`,
    parameters,
  );
  if (gone.length === 0) return;
  yield* rowsOf(
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
