import type { NewAttachment } from "./new-attachments.ts";

/** Fields of a reply. */
export interface ReplyFields {
  readonly cc?: string;
  /** Inserted before the quoted original. */
  readonly text?: string;
  readonly html?: string;
  readonly attachments?: readonly NewAttachment[];
}
