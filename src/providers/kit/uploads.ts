/** Resumable uploads: contents that arrive in several requests, as objects of the provider until they are complete. */
import { randomUUID } from "node:crypto";
import { decodeStrictBase64 } from "../../core/text-encodings.ts";
import type { EmailSession, ProviderObjects } from "../email.ts";
import type { ProviderRequest } from "../provider.ts";
import { changeObject } from "./objects.ts";

/** Upload that is not complete. */
export interface Upload<Facts> {
  /** Facts of the request that opened it; JSON. */
  readonly facts: Facts;
  /** Bytes that have arrived, without gaps from the first one. */
  readonly receivedBytes: number;
  /** Ids of the objects that have them, in order. */
  readonly pieces: readonly string[];
}

/** Bytes of a content, and their place in it. */
export interface UploadedRange {
  readonly start: number;
  readonly bytes: Uint8Array;
}

/** Range in a request; null for what it leaves open. */
export interface ContentRange {
  readonly start: number | null;
  readonly total: number | null;
}

/** Reads Content-Range (RFC 9110 §14.4); undefined for a malformed one, and for one that does not fit the body. */
export function readContentRange({
  headers,
  body,
}: Pick<ProviderRequest, "headers" | "body">): ContentRange | undefined {
  const form = /^bytes (\*|(\d{1,15})-(\d{1,15}))\/(\d{1,15}|\*)$/;
  const [, range = "", first, last, total] = form.exec(headers["content-range"] ?? "") ?? [];
  const isWhole = range === "*" ? body.byteLength === 0 : Number(last) - Number(first) + 1 === body.byteLength;
  if (range === "" || !isWhole) return undefined;
  return { start: first === undefined ? null : Number(first), total: total === "*" ? null : Number(total) };
}

/** Lifetime of an upload after its last request, in milliseconds. */
const lifetimeMs = 86_400_000;
/** Bytes of an object; base64 of them is below the limit of objects. */
const pieceBytes = 720 * 1024;

/** Uploads of one kind that belong to a caller. */
export class Uploads<Facts> {
  readonly #objects: ProviderObjects;
  readonly #kind: string;
  readonly #now: () => number;

  constructor({ objects }: Pick<EmailSession, "objects">, kind: string, now: () => number) {
    this.#objects = objects;
    this.#kind = kind;
    this.#now = now;
  }

  /** Opens an upload, which expires a day after the last request for it. */
  async open(id: string, facts: Facts): Promise<void> {
    await this.#put(this.#kind, id, { facts, receivedBytes: 0, pieces: [] } satisfies Upload<Facts>);
  }

  /** Returns an upload; undefined without one. */
  async find(id: string): Promise<Upload<Facts> | undefined> {
    return (await this.#objects.get(this.#kind, id))?.value as Upload<Facts> | undefined;
  }

  /**
   * Stores a range without the bytes that have arrived already, and returns the upload; a range behind a gap changes nothing.
   * Undefined without an upload.
   */
  async append(id: string, { start, bytes }: UploadedRange): Promise<Upload<Facts> | undefined> {
    const before = await this.find(id);
    if (before === undefined) return undefined;
    const rest = start > before.receivedBytes ? new Uint8Array() : bytes.subarray(before.receivedBytes - start);
    const pieces: string[] = [];
    for (let at = 0; at < rest.byteLength; at += pieceBytes) {
      const piece = randomUUID();
      await this.#put(this.#pieceKind, piece, Buffer.from(rest.subarray(at, at + pieceBytes)).toString("base64"));
      pieces.push(piece);
    }
    return changeObject<Upload<Facts> | undefined>(this.#objects, { kind: this.#kind, id }, (value) => {
      const present = value as Upload<Facts> | undefined;
      // The bytes of a faster request count; those of this one expire.
      if (present?.receivedBytes !== before.receivedBytes) return { result: present };
      const receivedBytes = present.receivedBytes + rest.byteLength;
      const result = { ...present, receivedBytes, pieces: [...present.pieces, ...pieces] };
      return { result, change: { value: result, expiresAt: this.#expiry() } };
    });
  }

  /** Returns the bytes that have arrived, and removes the upload. */
  async take(id: string, { pieces }: Pick<Upload<Facts>, "pieces">): Promise<Uint8Array> {
    const bytes = await this.read({ pieces });
    await this.discard(id, { pieces });
    return bytes;
  }

  /** Returns the bytes that have arrived; throws when they have expired. */
  async read({ pieces }: Pick<Upload<Facts>, "pieces">): Promise<Uint8Array> {
    const contents: Uint8Array[] = [];
    for (const piece of pieces) {
      const value = (await this.#objects.get(this.#pieceKind, piece))?.value;
      const bytes = typeof value === "string" ? decodeStrictBase64(value) : null;
      if (bytes === null) throw new Error("A piece of the upload is missing");
      contents.push(bytes);
    }
    return Buffer.concat(contents);
  }

  /** Removes an upload. */
  async discard(id: string, { pieces }: Pick<Upload<Facts>, "pieces">): Promise<void> {
    await this.#objects.remove(this.#kind, id);
    for (const piece of pieces) await this.#objects.remove(this.#pieceKind, piece);
  }

  get #pieceKind(): string {
    return `${this.#kind} piece`;
  }

  async #put(kind: string, id: string, value: unknown): Promise<void> {
    await this.#objects.put(kind, id, { value, expiresAt: this.#expiry() });
  }

  #expiry(): number {
    return this.#now() + lifetimeMs;
  }
}
