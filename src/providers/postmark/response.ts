import type { FormFields } from "../../core/read-form.ts";
import { naturalOf } from "../formats/form.ts";
import { rejection } from "./errors.ts";

/** Returns an instant as the API writes it: `2026-11-20T10:42:07.0000000Z` with seven decimals. */
export function instantText(instant: number): string {
  return new Date(instant).toISOString().replace("Z", "0000Z");
}

const countMax = 500;
/** Largest sum of count and offset. */
const depthMax = 10_000;

/** Page of a list. */
export interface Paging {
  readonly count: number;
  readonly offset: number;
}

/** Reads `count` (100 by default) and `offset` from fields with names in lower case; throws a rejection with `code`. */
export function readPaging(fields: FormFields, code: number): Paging {
  const number = (name: string, absent: number): number => {
    const invalid = rejection(code, `Parameter '${name}' must be a positive number.`);
    return naturalOf(fields, name, { absent, max: 999_999, invalid });
  };
  const [count, offset] = [number("count", 100), number("offset", 0)];
  if (count > countMax) throw rejection(code, `Parameter 'count' must be at most ${countMax}.`);
  if (count + offset > depthMax) throw rejection(code, `Count and Offset cannot exceed ${depthMax} together.`);
  return { count, offset };
}
