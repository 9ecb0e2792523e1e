import { Problem } from "../../core/errors.ts";
import type { MessageId, ServerId } from "../../core/ids.ts";
import { heldContent, piecewiseBytesMin, piecewiseContent } from "../raw-content.ts";
import type { RawContent } from "../raw-content.ts";
import type { StoreStatistics, WholeMessage } from "../store.ts";
import type { BackgroundTask } from "../../core/background-tasks.ts";
import type { ReaderCalls } from "./threads/calls.ts";
import type { ContentPart } from "./content/content.ts";
import { databaseBytes } from "./connection/database-bytes.ts";
import { SqliteLeaving } from "./sqlite-leaving.ts";
import type { StoreParts } from "./threads/store-parts.ts";
import type { Thread } from "./threads/thread.ts";

/** Part of the store that reads whole messages, large content and statistics, on the reader's thread. */
export abstract class SqliteMoving extends SqliteLeaving {
  readonly #reader: Thread<ReaderCalls>;
  readonly #damage: BackgroundTask;

  readonly #place: Pick<StoreParts, "file" | "isStorageFull">;

  constructor(parts: StoreParts) {
    super(parts.writer);
    this.#reader = parts.reader;
    this.#damage = parts.damage;
    this.#place = parts;
  }

  async statistics(): Promise<StoreStatistics> {
    const counts = this.read((reads) => reads.counts());
    const sizeBytes = await databaseBytes(this.#place.file);
    const indexBacklogCount = await this.#reader.call("indexBacklog", []);
    const outboxBacklogCount = this.read(({ leaving }) => leaving.outbox.backlog());
    const storageFull = this.#place.isStorageFull() ? 1 : 0;
    return { ...counts, indexBacklogCount, outboxBacklogCount, sizeBytes, storageFull };
  }

  async readMessages(server: ServerId, after: MessageId | null, bytesMax: number): Promise<readonly WholeMessage[]> {
    return await this.#call(this.#reader.call("messages", [server, after, bytesMax]));
  }

  protected async readPartAside(id: MessageId, name: ContentPart): Promise<Uint8Array | undefined> {
    return await this.#call(this.#reader.call("part", [id, name]));
  }

  /** Reports damage to the registry of background tasks; returns the error. */
  protected reported(error: unknown): unknown {
    if (error instanceof Problem && error.code === "data_damaged") this.#damage.failed(error.cause ?? error);
    return error;
  }

  async #call<Result>(answer: Promise<Result>): Promise<Result> {
    try {
      return await answer;
    } catch (error) {
      throw this.reported(error);
    }
  }

  abstract getRaw(id: MessageId): Promise<Uint8Array | undefined>;

  async openRaw(id: MessageId): Promise<RawContent | undefined> {
    const place = this.read((reads) => {
      reads.requireOwnContent(id);
      return reads.rawChunks.place(id);
    });
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
