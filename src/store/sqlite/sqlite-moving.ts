import type { MessageId, ServerId } from "../../core/ids.ts";
import { heldContent, piecewiseBytesMin, piecewiseContent } from "../raw-content.ts";
import type { RawContent } from "../raw-content.ts";
import type { WholeMessage } from "../store.ts";
import type { ReaderCalls } from "./calls.ts";
import { SqliteLeaving } from "./sqlite-leaving.ts";
import type { StoreParts } from "./store-parts.ts";
import type { Thread } from "./thread.ts";

/** The part of the store that reads whole messages and large content, on the reader's thread. */
export abstract class SqliteMoving extends SqliteLeaving {
  readonly #reader: Thread<ReaderCalls>;

  constructor({ writer, reader }: Pick<StoreParts, "writer" | "reader">) {
    super(writer);
    this.#reader = reader;
  }

  async readMessages(server: ServerId, after: MessageId | null, bytesMax: number): Promise<readonly WholeMessage[]> {
    return await this.#reader.call("messages", [server, after, bytesMax]);
  }

  abstract getRaw(id: MessageId): Promise<Uint8Array | undefined>;

  async openRaw(id: MessageId): Promise<RawContent | undefined> {
    const place = this.read((reads) => reads.rawChunks.place(id));
    if (place === undefined) return undefined;
    if (place.sizeBytes > piecewiseBytesMin) {
      return piecewiseContent({ ...place, readPiece: async (at) => await this.#reader.call("rawPiece", [id, at]) });
    }
    const bytes = await this.getRaw(id);
    return bytes === undefined ? undefined : heldContent(bytes);
  }

  async measureMessages(server: ServerId, ids: readonly MessageId[]): Promise<readonly number[]> {
    return this.read((reads) => ids.map((id) => reads.rawChunks.sizeBytes(server, id)));
  }
}
