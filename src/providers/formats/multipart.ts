/** Form bodies with files; the only importer of the multipart parser. */
import type { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Busboy, type BusboyInstance } from "@fastify/busboy";
import { bodyNameBytesMax } from "../../core/arrival-rate.ts";
import { readFormInTurns, type FormFields } from "../../core/read-form.ts";

/** File of a form. */
export interface FormFile {
  /** Name of the form field. */
  readonly name: string;
  /** Last component of the path; null without a name. */
  readonly fileName: string | null;
  /** Type and subtype in lower case, without parameters. */
  readonly contentType: string;
  readonly content: Uint8Array;
}

/** Fields and files of a form body, each in order. */
export interface FormBody {
  readonly fields: FormFields;
  readonly files: readonly FormFile[];
}

/** Most fields and files of a form with files. A mail to 1000 recipients, each in a field of its own, has some more than 1000. */
export const formPartCountMax = 5000;
/** Largest header section of a part, in bytes, and most header fields of a part. */
const partHeaderBytesMax = 16 * 1024;
const partHeaderCountMax = 32;
/** Bytes that are parsed before other requests have their turn. */
const chunkBytes = 256 * 1024;

/**
 * Parses a body of `multipart/form-data` or `application/x-www-form-urlencoded`; the memory it needs is proportional to the
 * size of the body, which the caller has limited. Resolves to null for another content type, for a body that is
 * malformed or ends early, and for a form with files above {@link formPartCountMax} or with names longer than
 * {@link bodyNameBytesMax}. Rejects as {@link readFormInTurns} does.
 */
export async function readFormBody(body: Uint8Array, contentType = ""): Promise<FormBody | null> {
  const form = /^multipart\/form-data\b/i.test(contentType)
    ? await readMultipart(body, contentType)
    : /^application\/x-www-form-urlencoded\b/i.test(contentType)
      ? { fields: await readFormInTurns(body), files: [] }
      : null;
  const isTooLong = form?.fields.some(([name]) => name.length > bodyNameBytesMax) ?? false;
  return isTooLong ? null : form;
}

/** Form while it is parsed; the chunks of its files are views of the body. */
interface Draft {
  readonly fields: (readonly [string, string])[];
  readonly files: (Omit<FormFile, "content"> & { readonly chunks: Buffer[] })[];
  isInvalid: boolean;
}

/** Arguments of the event `file`. */
type FileArguments = readonly [
  name: string | undefined,
  stream: Readable,
  fileName: string | undefined,
  encoding: string,
  type: string,
];

async function readMultipart(body: Uint8Array, contentType: string): Promise<FormBody | null> {
  const parser = openParser(body, contentType);
  if (parser === null) return null;
  const draft: Draft = { fields: [], files: [], isInvalid: false };
  const closed = Promise.withResolvers<void>();
  const fail = (): void => {
    draft.isInvalid = true;
    closed.resolve();
  };
  parser.on("field", (name: string | undefined, value) => draft.fields.push([name ?? "", value]));
  parser.on("file", (...[name, stream, fileName, , type]: FileArguments) => {
    const chunks: Buffer[] = [];
    draft.files.push({ name: name ?? "", fileName: fileName ?? null, contentType: type, chunks });
    stream.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", fail);
  });
  parser.on("partsLimit", fail).on("error", fail).on("finish", closed.resolve);
  for (let start = 0; start < body.byteLength && !draft.isInvalid; start += chunkBytes) {
    parser.write(body.subarray(start, start + chunkBytes));
    await nextTurn();
  }
  if (!draft.isInvalid) parser.end();
  await closed.promise;
  if (draft.isInvalid) return null;
  const files = draft.files.map(({ chunks, ...file }) => ({ ...file, content: Buffer.concat(chunks) }));
  return { fields: draft.fields, files };
}

/** Returns null when the content type has no boundary, or none that is valid. */
function openParser(body: Uint8Array, contentType: string): BusboyInstance | null {
  try {
    const limits = {
      parts: formPartCountMax,
      fieldSize: body.byteLength,
      fileSize: body.byteLength,
      headerPairs: partHeaderCountMax,
      headerSize: partHeaderBytesMax,
    };
    return new Busboy({ headers: { "content-type": contentType }, limits });
  } catch {
    // The constructor throws for content types without a valid boundary only.
    return null;
  }
}
