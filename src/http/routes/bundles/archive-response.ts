/** Responses that are ZIP archives. */
import { attachmentDisposition } from "../../files/content-disposition.ts";
import type { HttpResponse } from "../../http-response.ts";
import type { Success } from "../../route.ts";
import { build } from "../../wire/schema.ts";

/** Returns the description of a response that is an archive. */
export function archiveSuccess(description: string): Success {
  return {
    status: 200,
    description,
    contentType: "application/zip",
    schema: build.string({ format: "binary" }),
  };
}

/** Returns 200 with an archive as a download. */
export function archiveResponse(fileName: string, archive: AsyncIterable<Uint8Array>): HttpResponse {
  const headers = {
    "content-type": "application/zip",
    "content-disposition": attachmentDisposition(fileName),
    "content-security-policy": "default-src 'none'; sandbox",
    "cross-origin-resource-policy": "same-origin",
  };
  return { status: 200, headers, body: null, stream: archive };
}
