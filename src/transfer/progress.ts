/** Hears how far a move has come. */
export interface Progress {
  /** How much there is, where that is known: messages of an export, bytes of a file, files of a folder. */
  expect(total: number): void;
  /** So many more of these, and so many bytes of mail and texts. */
  advance(by: { readonly done?: number; readonly messages?: number; readonly bytes?: number }): void;
}

/** What was moved. */
export interface TransferResult {
  readonly servers: number;
  /** Messages that were written, or stored. */
  readonly messages: number;
  /** Messages that were there already. */
  readonly there: number;
  /** Texts that the format cannot hold. */
  readonly textsLeftOut: number;
  /** Deliveries that had not ended, which stay with the store that holds them. */
  readonly waiting: number;
}

/** Nothing was moved yet. */
export const nothingMoved: TransferResult = { servers: 0, messages: 0, there: 0, textsLeftOut: 0, waiting: 0 };
