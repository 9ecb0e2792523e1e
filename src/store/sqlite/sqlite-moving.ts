import type { MessageId, ServerId } from "../../core/ids.ts";
import type { WholeMessage } from "../store.ts";
import type { ReaderCalls } from "./calls.ts";
import { SqliteLeaving } from "./sqlite-leaving.ts";
import type { StoreParts } from "./store-parts.ts";
import type { Thread } from "./thread.ts";

/** The part of the store that takes whole messages out, on the reader's thread. */
export abstract class SqliteMoving extends SqliteLeaving {
  readonly #reader: Thread<ReaderCalls>;

  constructor({ writer, reader }: Pick<StoreParts, "writer" | "reader">) {
    super(writer);
    this.#reader = reader;
  }

  async readMessages(server: ServerId, after: MessageId | null, bytesMax: number): Promise<readonly WholeMessage[]> {
    return await this.#reader.call("messages", [server, after, bytesMax]);
  }
}
