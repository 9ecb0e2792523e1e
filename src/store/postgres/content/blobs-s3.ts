/** Large content in an S3 bucket. The only file that imports the library `s3mini`. */
import { setTimeout as pause } from "node:timers/promises";
import { S3mini } from "s3mini";
import { Problem } from "../../../core/errors.ts";
import { type LargeContent, readBlobUrl } from "./blobs.ts";

/** Options of the S3 client. */
export interface S3Options {
  /** Request timeout in milliseconds; a minute by default. */
  readonly requestMsMax?: number;
  /** Number of retries of a failed request; two by default. */
  readonly retryCount?: number;
}

/** Objects of one request to delete (S3 API, DeleteObjects). */
const deleteCountMax = 1000;
const firstPauseMs = 100;

/** Opens the bucket of a blob URL; connects with the first call. Throws as {@link readBlobUrl}. */
export function openS3(url: string, { requestMsMax = 60_000, retryCount = 2 }: S3Options = {}): LargeContent {
  const { prefix, ...access } = readBlobUrl(url);
  const bucket = new S3mini({ ...access, requestAbortTimeout: requestMsMax });
  const repeating = async <Result>(once: () => Promise<Result>): Promise<Result> => {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await once();
      } catch (error) {
        // All requests are idempotent.
        if (attempt >= retryCount) throw new Problem("unavailable", { cause: error, retryAfterSeconds: 2 });
        await pause(firstPauseMs * 2 ** attempt * (0.5 + Math.random()));
      }
    }
  };
  return {
    put: (key, bytes) =>
      repeating(async () => {
        await bucket.putObject(prefix + key, bytes);
      }),
    get: (key) =>
      repeating(async () => {
        const bytes = await bucket.getObjectArrayBuffer(prefix + key);
        return bytes === null ? undefined : new Uint8Array(bytes);
      }),
    getRange: (key, start, length) =>
      repeating(async () => {
        const answer = await bucket.getObjectRaw(prefix + key, false, start, start + length);
        if (answer.status === 404) return undefined;
        const bytes = new Uint8Array(await answer.arrayBuffer());
        // A server that ignores ranges returns the whole object.
        return answer.status === 206 ? bytes : bytes.subarray(start, start + length);
      }),
    remove: async (keys) => {
      for (let start = 0; start < keys.length; start += deleteCountMax) {
        const some = keys.slice(start, start + deleteCountMax).map((key) => prefix + key);
        await repeating(async () => removeAll(bucket, some));
      }
    },
  };
}

async function removeAll(bucket: S3mini, keys: readonly string[]): Promise<void> {
  const results = await bucket.deleteObjects([...keys]);
  if (results.some((isGone) => !isGone)) throw new Error("some objects could not be deleted");
}
