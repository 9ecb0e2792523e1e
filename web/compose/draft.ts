/** What is written before it is sent. */
import type { NewAttachment } from "../wire.ts";

/** Content of a mail: either form, or both. */
export interface Draft {
  readonly text: string;
  readonly html: string;
  readonly files: readonly File[];
}

/** Nothing written yet. */
export const emptyDraft: Draft = { text: "", html: "", files: [] };

/** The content as the interface takes it; what is empty is left out. */
export async function contentOf({ text, html, files }: Draft): Promise<{
  readonly text?: string;
  readonly html?: string;
  readonly attachments?: readonly NewAttachment[];
}> {
  return {
    ...(text !== "" && { text }),
    ...(html !== "" && { html }),
    ...(files.length > 0 && { attachments: await Promise.all(files.map(readFile)) }),
  };
}

/** A file as the interface takes it; rejects where the browser may not read it. */
async function readFile(file: File): Promise<NewAttachment> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return {
    fileName: file.name,
    contentType: file.type === "" ? "application/octet-stream" : file.type,
    content: toBase64(bytes),
  };
}

const chunkBytes = 0x80_00;

/** Base64 (RFC 4648 §4), piece by piece: a call takes only so many arguments. */
export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    binary += String.fromCodePoint(...bytes.subarray(at, at + chunkBytes));
  }
  return btoa(binary);
}
