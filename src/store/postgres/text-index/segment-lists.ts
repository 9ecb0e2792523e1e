import type { Direction } from "../../../core/message.ts";
import type { Group } from "../../signatures/segment-layout.ts";
import type { Session } from "../connection/database.ts";
import type { SlotRange } from "../messages/id-slots.ts";
import type { Segment, SegmentScope } from "./segments.ts";

/** Cached lists, the least recently used of which is dropped; one of a million messages takes about 200 kB. */
const listCountMax = 64;

interface SegmentRow extends Omit<Segment, "groups" | "unindexed"> {
  readonly groups: string;
  readonly unindexed: string;
}

/** Cache of the segments of servers. A list is used for the version at which it was read only. */
export class SegmentLists {
  readonly #lists = new Map<string, { readonly version: number; readonly segments: readonly Segment[] }>();

  /** Returns the segments with messages of a direction in a range, newest first. */
  async in(
    session: Session,
    scope: SegmentScope & { readonly version: number },
    { direction, range }: { readonly direction: Direction; readonly range: SlotRange },
  ): Promise<readonly Segment[]> {
    const { version } = scope;
    const key = `${scope.server}/${scope.epoch}/${direction}`;
    const cached = this.#lists.get(key);
    const segments = cached?.version === version ? cached.segments : await readSegments(session, scope, direction);
    this.#lists.delete(key);
    this.#lists.set(key, { version, segments });
    const [oldest] = this.#lists.keys();
    if (this.#lists.size > listCountMax && oldest !== undefined) this.#lists.delete(oldest);
    return segments.filter(({ first, last }) => first <= range.last && last >= range.first);
  }
}

async function readSegments(
  session: Session,
  { server, epoch }: SegmentScope,
  direction: Direction,
): Promise<readonly Segment[]> {
  const name = direction === "Sent" ? "sent" : "received";
  const rows = await session.query<SegmentRow>(
    `select number, size, ${name}_first as first, ${name}_last as last,
       merged_filter as "mergedFilter", groups, unindexed
     from text_segment
     where server_id = $1 and epoch = $2 and ${name}_first is not null order by ${name}_last desc`,
    [server, epoch],
  );
  return rows.map(({ groups, unindexed, ...segment }) => ({
    ...segment,
    groups: JSON.parse(groups) as readonly Group[],
    unindexed: JSON.parse(unindexed) as readonly number[],
  }));
}
