import { chunkBytes } from "./content.ts";
import type { ContentPart } from "./content.ts";

/** Returns an SQL expression over `message` for the plain size of a part; whole chunks where it is not noted. */
export function sizeOf(part: ContentPart): string {
  return `coalesce(${part}_size, octet_length(${part}) + ${part}_chunk_count * ${chunkBytes}, 0)::bigint`;
}
