import { damagedMessage } from "../../content/damage.ts";
import type { ContentChecks } from "../../content/content-store.ts";
import { layoutOf, type ContentLayout } from "../../content/layout.ts";
import { idToBytes } from "../../../core/ids.ts";
import type { ContentTables } from "../../records/content-rows.ts";
import { contentChecksum, summaryChecksum } from "./checksums.ts";

/** Expressions over the `content` table for the members of a layout. */
export const layoutColumns: string = layoutOf("", "body_size");

/** Tables of content; larger columns are read on the reader thread. */
export const contentTables: ContentTables = {
  from: "message m left join content c on c.number = m.content",
  alias: "c",
  bodySize: "c.body_size",
  detailChunkCount: "0",
  checked: `c.number, c.addresses, c.checksum as "contentChecksum", m.checksum as "summaryChecksum", `,
  columnBytesMax: 128 * 1024,
  // The message is looked up with each chunk: the numbers of deleted content are used again.
  chunk: `select r.bytes from message m cross join raw_chunk r on r.number = m.content * 65536 + $4
    where m.epoch = (select epoch from server where id = $1) and m.id = unhex($2, '-')`,
};

/** Row with the columns of {@link contentTables} that are checked. */
interface CheckedRow extends ContentLayout {
  /** Null where the row is missing. */
  readonly number: number | null;
  readonly addresses: string;
  readonly contentChecksum: number;
  readonly summaryChecksum: number;
}

/** Checks of rows of {@link contentTables}. */
export const contentChecks: ContentChecks = {
  content: (id, row) => {
    const checked = row as CheckedRow;
    if (checked.number === null) throw damagedMessage(id, "its content row is missing");
    if (checked.contentChecksum !== contentChecksum(idToBytes(id), checked)) {
      throw damagedMessage(id, "the checksum of its content row does not match");
    }
  },
  summary: (id, row) => {
    const { summaryChecksum: checksum } = row as Pick<CheckedRow, "summaryChecksum"> & typeof row;
    if (checksum !== summaryChecksum(row.summary as Uint8Array)) {
      throw damagedMessage(id, "the checksum of its summary does not match");
    }
  },
};
