/** Content of an email that has not been sent. */
import { useState } from "react";
import type { NewAttachment } from "../wire.ts";

/** Text, HTML or both, and files to attach. */
export interface Draft {
  readonly text: string;
  readonly html: string;
  readonly files: readonly File[];
}

/** A draft without content. */
export const emptyDraft: Draft = { text: "", html: "", files: [] };

/** Returns the content as request fields; empty parts are left out. */
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

/** Returns a file as request field; rejects if the browser cannot read it. */
async function readFile(file: File): Promise<NewAttachment> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return {
    fileName: file.name,
    contentType: file.type === "" ? "application/octet-stream" : file.type,
    content: toBase64(bytes),
  };
}

const chunkBytes = 0x80_00;

/** Encodes bytes as base64 (RFC 4648 §4), in chunks: the number of arguments of a call is limited. */
export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    binary += String.fromCodePoint(...bytes.subarray(at, at + chunkBytes));
  }
  return btoa(binary);
}

const drafts = new Map<string, unknown>();
/** Most drafts that are kept; beyond it the oldest are dropped. */
const draftCountMax = 50;

/** Returns the draft with a name, a function that changes it and one that removes it; `empty` when there is none. */
export function useSavedDraft<Draft>(
  name: string,
  empty: Draft,
): readonly [Draft, (change: Partial<Draft>) => void, () => void] {
  const [draft, setDraft] = useState<Draft>(() => (drafts.get(name) as Draft | undefined) ?? empty);
  const change = (changed: Partial<Draft>): void => {
    const next = { ...draft, ...changed };
    drafts.delete(name);
    drafts.set(name, next);
    for (const oldest of drafts.keys()) {
      if (drafts.size <= draftCountMax) break;
      drafts.delete(oldest);
    }
    setDraft(next);
  };
  const remove = (): void => {
    drafts.delete(name);
  };
  return [draft, change, remove];
}
