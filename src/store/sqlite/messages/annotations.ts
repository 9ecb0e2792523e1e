import type { DatabaseSync, StatementSync } from "node:sqlite";
import { decodeMessageId, idFromBytes, idToBytes, type MessageId, type ServerId } from "../../../core/ids.ts";
import { requireAnnotationSize, type Annotation, type AnnotationStore } from "../../annotation-store.ts";
import { compress, decompress, freeCompressed } from "../../compression.ts";
import type { ServerPosition } from "../account/servers.ts";
import { damagedMessage, isDamage } from "../content/checksums.ts";
import type { Thread } from "../threads/thread.ts";

/** Calls of the writer thread about annotations. */
export interface AnnotationCalls {
  putAnnotation(message: MessageId, annotation: Annotation): boolean;
}

interface AnnotationRow {
  readonly kind: Annotation["kind"];
  readonly size: number;
  readonly bytes: Uint8Array;
}

/** Changes of annotations, for use inside the writer's transaction. */
export class AnnotationWrites {
  readonly #put: StatementSync;
  readonly #count: StatementSync;
  readonly #remove: StatementSync;
  readonly #uncount: StatementSync;

  constructor(database: DatabaseSync) {
    this.#put = database.prepare(
      `insert or replace into annotation (epoch, id, kind, size, bytes)
       select epoch, id, ?3, ?4, ?5 from message where epoch = (select epoch from server where id = ?1) and id = ?2`,
    );
    this.#count = database.prepare(
      `update server set byte_count = byte_count + ?4
         - coalesce((select size from annotation where epoch = server.epoch and id = ?2 and kind = ?3), 0)
       where id = ?1 and exists (select 1 from message where epoch = server.epoch and message.id = ?2)`,
    );
    this.#remove = database.prepare("delete from annotation where epoch = ? and id = ? returning size");
    this.#uncount = database.prepare("update server set byte_count = byte_count - ? where number = ?");
  }

  /** Implements `putAnnotation` of the contract. */
  put(message: MessageId, { kind, json }: Annotation): boolean {
    const { server } = decodeMessageId(message);
    const compressed = compress(Buffer.from(json));
    const size = compressed.size ?? 0;
    this.#count.run(server, idToBytes(message), kind, size);
    const { changes } = this.#put.run(server, idToBytes(message), kind, size, compressed.bytes);
    freeCompressed(compressed);
    return Number(changes) > 0;
  }

  /** Removes the annotations of a deleted message. */
  removeOf({ epoch, number }: Pick<ServerPosition, "epoch" | "number">, message: Uint8Array): void {
    const removed = this.#remove.all(epoch, message) as unknown as readonly Pick<AnnotationRow, "size">[];
    if (removed.length > 0)
      this.#uncount.run(
        removed.reduce((sum, { size }) => sum + size, 0),
        number,
      );
  }
}

/** Returns the implementation of the calls, for use inside the writer's transaction. */
export function bindAnnotationCalls(database: DatabaseSync): AnnotationCalls {
  const writes = new AnnotationWrites(database);
  return {
    putAnnotation: (message, annotation) => writes.put(message, annotation),
  };
}

/** Queries of annotations. */
export class AnnotationReads {
  readonly #get: StatementSync;
  readonly #list: StatementSync;

  constructor(database: DatabaseSync) {
    const ofMessage = "from annotation where epoch = (select epoch from server where id = ?) and id = ?";
    this.#get = database.prepare(`select kind, size, bytes ${ofMessage} and kind = ?`);
    this.#list = database.prepare(`select kind, size, bytes ${ofMessage} order by kind`);
  }

  /** Implements `getAnnotation` of the contract. Throws `data_damaged` when it has changed on the disk. */
  get(message: MessageId, kind: Annotation["kind"]): string | undefined {
    const bytes = idToBytes(message);
    const row = this.#get.get(decodeMessageId(message).server, bytes, kind) as unknown as AnnotationRow | undefined;
    return row === undefined ? undefined : jsonOf(bytes, row);
  }

  /** Returns all annotations of a message. Throws `data_damaged` when one has changed on the disk. */
  list(message: MessageId): readonly Annotation[] {
    const bytes = idToBytes(message);
    const rows = this.#list.all(decodeMessageId(message).server, bytes) as unknown as readonly AnnotationRow[];
    return rows.map((row) => ({ kind: row.kind, json: jsonOf(bytes, row) }));
  }
}

function jsonOf(id: Uint8Array, { kind, size, bytes }: AnnotationRow): string {
  try {
    return Buffer.from(decompress({ bytes, size: size === 0 ? null : size })).toString();
  } catch (error) {
    throw isDamage(error) ? damagedMessage(id, `its ${kind} does not decompress`) : error;
  }
}

/** Annotation that cannot be used. */
interface BrokenAnnotation {
  readonly epoch: number;
  readonly id: Uint8Array;
  readonly kind: string;
  readonly problem: string;
}

/** Returns annotations that are damaged or belong to no message, at most `countMax`. */
export function findBrokenAnnotations(database: DatabaseSync, countMax: number): readonly BrokenAnnotation[] {
  const broken: BrokenAnnotation[] = [];
  const all = database.prepare(
    `select a.epoch, a.id, a.kind, a.size, a.bytes, m.id is null as isOrphan
     from annotation a left join message m on m.epoch = a.epoch and m.id = a.id`,
  );
  for (const one of all.iterate()) {
    const row = one as unknown as AnnotationRow & Omit<BrokenAnnotation, "problem"> & { readonly isOrphan: number };
    const problem = row.isOrphan === 1 ? "belongs to no message" : damageOf(row);
    if (problem !== undefined) broken.push({ epoch: row.epoch, id: row.id, kind: row.kind, problem });
    if (broken.length >= countMax) break;
  }
  return broken;
}

/** Returns the description of a broken annotation. */
export function describeBroken({ id, kind, problem }: BrokenAnnotation): string {
  return `the ${kind} of message ${idFromBytes(id)} ${problem}`;
}

/** Deletes all annotations that {@link findBrokenAnnotations} finds. */
export function removeBrokenAnnotations(database: DatabaseSync): void {
  const remove = database.prepare("delete from annotation where epoch = ? and id = ? and kind = ?");
  for (const { epoch, id, kind } of findBrokenAnnotations(database, Infinity)) remove.run(epoch, id, kind);
}

function damageOf(row: AnnotationRow & { readonly id: Uint8Array }): string | undefined {
  try {
    JSON.parse(jsonOf(row.id, row));
    return undefined;
  } catch (error) {
    if (isDamage(error)) return "does not decompress";
    if (error instanceof SyntaxError) return "is not JSON";
    throw error;
  }
}

/** Creates the store of annotations; `onCounted` is called when the bytes of a server have changed. */
export function createAnnotationStore(
  writer: Thread<AnnotationCalls>,
  read: <Result>(body: (annotations: AnnotationReads) => Result) => Result,
  onCounted: (server: ServerId) => void,
): AnnotationStore {
  return {
    putAnnotation: async (message, annotation) => {
      requireAnnotationSize(annotation);
      try {
        return await writer.call("putAnnotation", [message, annotation]);
      } finally {
        onCounted(decodeMessageId(message).server);
      }
    },
    getAnnotation: async (message, kind) => read((annotations) => annotations.get(message, kind)),
  };
}
