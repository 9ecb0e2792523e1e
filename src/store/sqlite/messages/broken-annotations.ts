import type { DatabaseSync } from "node:sqlite";
import { idFromBytes } from "../../../core/ids.ts";
import { decompress, type Compressed } from "../../compression.ts";
import { isDamage } from "../../content/layout.ts";

/** Annotation that cannot be used. */
interface BrokenAnnotation {
  readonly epoch: number;
  readonly id: Uint8Array;
  readonly kind: string;
  readonly problem: string;
}

interface AnnotationRow extends Compressed, Omit<BrokenAnnotation, "problem"> {
  readonly isOrphan: number;
}

/** Returns annotations that are damaged or belong to no message, at most `countMax`. */
export function findBrokenAnnotations(database: DatabaseSync, countMax: number): readonly BrokenAnnotation[] {
  const broken: BrokenAnnotation[] = [];
  const all = database.prepare(
    `select a.epoch, a.id, a.kind, a.size, a.bytes, m.id is null as isOrphan
     from annotation a left join message m on m.epoch = a.epoch and m.id = a.id`,
  );
  for (const one of all.iterate()) {
    const row = one as unknown as AnnotationRow;
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

function damageOf({ bytes, size }: AnnotationRow): string | undefined {
  try {
    JSON.parse(Buffer.from(decompress({ bytes, size: size === 0 ? null : size })).toString());
    return undefined;
  } catch (error) {
    if (isDamage(error)) return "does not decompress";
    if (error instanceof SyntaxError) return "is not JSON";
    throw error;
  }
}
