import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import { requireAnnotationSize, type Annotation, type AnnotationKind, type AnnotationStore } from "../mark-store.ts";
import { compressAsync, decompressAsync, type Compressed } from "../compression.ts";
import { DialectRows } from "../sql/dialect.ts";
import { rowsOf, type Query } from "../sql/query.ts";
import { lockServer, type ServerPosition } from "./server-position.ts";

/** Annotation as it is stored. */
export interface StoredAnnotation extends Compressed {
  readonly kind: AnnotationKind;
}

/** Statements about annotations of messages. Their guarantees are those of `AnnotationStore`. */
export class AnnotationRows extends DialectRows {
  readonly #ofMessage: string = `${this.dialect.ofEpoch("a", "$2")}
    and a.${this.dialect.slotColumn} = ${this.dialect.slotIn("$3")}`;

  *putAnnotation(message: MessageId, { kind, size, bytes }: StoredAnnotation): Query<boolean> {
    const { epochColumns, epochValues, slotColumn, slotIn, slotOf, serverNumber } = this.dialect;
    // Locked as by deletions, which wait and then delete this annotation too.
    const position = yield* lockServer(this.dialect, decodeMessageId(message).server);
    if (position === undefined) return false;
    const place = [position.number, position.epoch, slotOf(message)];
    const found = `select 1 from message a where ${this.#ofMessage} and a.id = ${slotIn("$4")}`;
    if ((yield* rowsOf(found, [...place, message])).length === 0) return false;
    const [former] = yield* rowsOf<Pick<StoredAnnotation, "size">>(
      `select size from annotation a where ${this.#ofMessage} and kind = $4`,
      [...place, kind],
    );
    yield* rowsOf(
      `insert into annotation (${epochColumns}, ${slotColumn}, kind, size, bytes)
       values (${epochValues}, ${slotIn("$3")}, $4, $5, $6)
       on conflict (${epochColumns}, ${slotColumn}, kind) do update set size = excluded.size, bytes = excluded.bytes`,
      [...place, kind, size ?? 0, bytes],
    );
    yield* rowsOf(`update server set byte_count = byte_count + cast($2 as bigint) where ${serverNumber} = $1`, [
      position.number,
      (size ?? 0) - (former?.size ?? 0),
    ]);
    return true;
  }

  *findAnnotation(message: MessageId, kind: AnnotationKind): Query<StoredAnnotation | undefined> {
    return (yield* this.listAnnotations(message)).find((one) => one.kind === kind);
  }

  /** Returns the annotations of a message, by kind. */
  *listAnnotations(message: MessageId): Query<readonly StoredAnnotation[]> {
    const { ofEpoch, serverKey, slotColumn, slotIn, slotOf, toServer } = this.dialect;
    const rows = yield* rowsOf<StoredAnnotation>(
      `select a.kind, a.size, a.bytes from annotation a
       join message m on ${ofEpoch("m", "a.epoch")} and m.${slotColumn} = a.${slotColumn}
       where ${ofEpoch("a", `(select epoch from server where ${serverKey} = $1)`)}
         and a.${slotColumn} = ${slotIn("$2")} and m.id = ${slotIn("$3")} order by a.kind`,
      [toServer(decodeMessageId(message).server), slotOf(message), message],
    );
    return rows.map(({ kind, size, bytes }) => ({ kind, bytes, size: size === 0 ? null : size }));
  }

  /** Removes the annotations of deleted messages; returns the bytes that they counted for. */
  *removeOf({ number, epoch }: Pick<ServerPosition, "number" | "epoch">, ids: readonly MessageId[]): Query<number> {
    const { ofEpoch, slotColumn, slotOf, isAmong, list } = this.dialect;
    const removed = yield* rowsOf<{ readonly size: number }>(
      `delete from annotation as a where ${ofEpoch("a", "$2")} and ${isAmong(slotColumn, "$3", "slot")} returning size`,
      [number, epoch, list(ids.map(slotOf))],
    );
    return removed.reduce((sum, { size }) => sum + size, 0);
  }
}

/** Returns the JSON of an annotation. Throws `data_damaged` when it has changed since it was stored. */
export async function readAnnotation(stored: StoredAnnotation): Promise<Annotation> {
  return { kind: stored.kind, json: Buffer.from(await decompressAsync(stored)).toString() };
}

/** Creates the store of annotations, which are compressed off the calling thread. */
export function createAnnotationStore(records: {
  readonly putAnnotation: (message: MessageId, annotation: StoredAnnotation) => Promise<boolean>;
  readonly findAnnotation: (message: MessageId, kind: AnnotationKind) => Promise<StoredAnnotation | undefined>;
}): AnnotationStore {
  return {
    putAnnotation: async (message, annotation) => {
      requireAnnotationSize(annotation);
      const compressed = await compressAsync(Buffer.from(annotation.json));
      return await records.putAnnotation(message, { kind: annotation.kind, ...compressed });
    },
    getAnnotation: async (message, kind) => {
      const stored = await records.findAnnotation(message, kind);
      return stored && (await readAnnotation(stored)).json;
    },
  };
}
