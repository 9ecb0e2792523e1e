import type { DatabaseSync, StatementSync } from "node:sqlite";
import { decodeMessageId, idFromBytes, idToBytes } from "../../../core/ids.ts";
import type { MessageId, ServerId } from "../../../core/ids.ts";
import { wholeMessageCountMax } from "../../store.ts";
import type { WholeMessage } from "../../store.ts";
import { contentChecksum, damagedMessage, isDamage, summaryChecksum } from "../content/checksums.ts";
import { layoutColumns, readContent } from "../content/content.ts";
import type { ContentLayout } from "../content/content.ts";
import { RecordReads } from "../account/record-stores.ts";
import type { Annotation } from "../../annotation-store.ts";
import { decompress } from "../../compression.ts";
import { storedMarksOf } from "../../mark-store.ts";
import type { StoredAnnotation } from "../../records/annotation-rows.ts";
import { RawChunkReads } from "../content/raw-chunks.ts";

interface WholeRow extends ContentLayout {
  readonly id: Uint8Array;
  readonly summary: Uint8Array;
  readonly checksum: number;
  readonly contentChecksum: number;
  readonly addresses: string;
  readonly detail: Uint8Array;
  /** Null where it follows the detail in the same frame. */
  readonly raw: Uint8Array | null;
  readonly content: number;
  readonly rawChunkCount: number;
}

const noBytes = new Uint8Array(0);

/** Reads whole messages in the order of the primary key. */
export class WholeReads {
  readonly #after: StatementSync;
  readonly #chunks: RawChunkReads;
  readonly #records: RecordReads;

  constructor(database: DatabaseSync) {
    this.#chunks = new RawChunkReads(database);
    this.#records = new RecordReads(database);
    this.#after = database.prepare(
      `select m.id, m.summary, m.checksum, c.checksum as contentChecksum, c.addresses, c.detail, c.raw,
         c.number as content, c.raw_chunk_count as rawChunkCount, ${layoutColumns}
       from message m cross join content c on c.number = m.content
       where m.epoch = (select epoch from server where id = ?) and m.id > ? order by m.id limit ? + 0`,
    );
  }

  /** Implements `readMessages` of the store's contract. */
  after(server: ServerId, after: MessageId | null, bytesMax: number): readonly WholeMessage[] {
    const messages: WholeMessage[] = [];
    let sizeBytes = 0;
    const from = after === null ? noBytes : idToBytes(after);
    for (const row of this.#after.iterate(server, from, wholeMessageCountMax)) {
      const message = this.#toMessage(row as unknown as WholeRow);
      messages.push(message);
      sizeBytes += message.raw.length + message.detailJson.length;
      for (const { json } of message.annotations ?? []) sizeBytes += json.length;
      if (sizeBytes >= bytesMax) break;
    }
    return messages;
  }

  /** Throws `data_damaged` when a checksum does not match. */
  #toMessage({ id, summary, detail, raw, content, rawChunkCount, ...layout }: WholeRow): WholeMessage {
    if (layout.checksum !== summaryChecksum(summary)) {
      throw damagedMessage(id, "the checksum of its summary does not match");
    }
    if (layout.contentChecksum !== contentChecksum(id, layout)) {
      throw damagedMessage(id, "the checksum of its content row does not match");
    }
    const rawColumn = rawChunkCount === 0 ? (raw ?? detail) : this.#chunks.whole(content);
    const whole = {
      id: idFromBytes(id),
      summaryJson: summary,
      detailJson: readContent(detail, "detail", layout),
      raw: readContent(rawColumn, "raw", layout),
    };
    const { rows, run } = this.#records;
    const annotations = run(rows.annotations.listAnnotations(whole.id)).map((one) => annotationOf(id, one));
    const [marked] = run(rows.marks.readMarks(decodeMessageId(whole.id).server, [whole.id]));
    const marks = marked && { marks: storedMarksOf(marked) };
    return { ...whole, ...(annotations.length > 0 && { annotations }), ...marks };
  }
}

function annotationOf(id: Uint8Array, { kind, bytes, size }: StoredAnnotation): Annotation {
  try {
    return { kind, json: Buffer.from(decompress({ bytes, size })).toString() };
  } catch (error) {
    throw isDamage(error) ? damagedMessage(id, `its ${kind} does not decompress`) : error;
  }
}
