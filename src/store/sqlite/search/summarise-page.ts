import { idToBytes } from "../../../core/ids.ts";
import type { SummaryPage } from "../../store.ts";
import { ignoreDamage, intactSummary, joinByCommas } from "../content/checksums.ts";
import { totalOf } from "../messages/page-bounds.ts";
import type { ExpressionRequest, FoundMessages } from "./expression-search.ts";
import type { SearchDependencies } from "./search.ts";

interface SummaryRow {
  readonly id: Uint8Array;
  readonly summary: Uint8Array;
  readonly checksum: number;
}

/** Returns the summaries of a result, within the caller's snapshot; messages that were deleted meanwhile are left out. */
export function summarisePage(
  { statements, servers, onDamage = ignoreDamage }: SearchDependencies,
  { server, page }: ExpressionRequest,
  { found, hasMore, cursor }: FoundMessages,
): SummaryPage {
  const epoch = servers.position(server)?.epoch ?? -1;
  const statement = statements.get("select id, summary, checksum from message where epoch = ? and id = ?");
  const rows = found.flatMap(
    ({ id }) => (statement.get(epoch, idToBytes(id)) as unknown as SummaryRow | undefined) ?? [],
  );
  const count = rows.length;
  const json = joinByCommas(rows.map((row) => intactSummary(row, onDamage)));
  return { json, count, hasMore, total: totalOf(page, { count, hasMore }), cursor };
}
