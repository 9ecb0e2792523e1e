/** Thresholds and segment sizes of the text index. */
export interface TextIndexSettings {
  /** Servers with fewer messages are not indexed: scanning their texts is fast. */
  readonly serverMessageCountMin: number;
  /** Number of new messages that are indexed together. */
  readonly newMessageCountMin: number;
  /** Messages of a segment. */
  readonly segmentMessageCountMax: number;
}

/** Default settings. */
export const textIndexSettings: TextIndexSettings = {
  serverMessageCountMin: 1000,
  newMessageCountMin: 256,
  segmentMessageCountMax: 2048,
};
