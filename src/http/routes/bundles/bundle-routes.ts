import type { Context } from "../../../operations/context.ts";
import { keyRoute } from "../rows.ts";
import { type KeyCall, type KeyRoute, type Success, withSignal } from "../../route.ts";
import { zipAttachments } from "../../../operations/bundles/zip-archive.ts";
import { streamedBytes } from "../../response-memory.ts";
import { invalidField } from "../../../core/errors.ts";
import { bundleBounds, bundleMessage, bundleServer } from "../../../operations/bundles/create-bundle.ts";
import { parseInstant } from "../../wire/date.ts";
import { build } from "../../../core/schema.ts";
import { attachmentDisposition, isolatedHeaders } from "../../files/file-response.ts";
import type { HttpResponse } from "../../http-response.ts";

/** Returns the description of a response that is an archive. */
function archiveSuccess(description: string): Success {
  return {
    status: 200,
    description,
    contentType: "application/zip",
    schema: build.string({ format: "binary" }),
  };
}

/** Returns 200 with an archive as a download. */
function archiveResponse(fileName: string, archive: AsyncIterable<Uint8Array>): HttpResponse {
  const headers = {
    "content-type": "application/zip",
    "content-disposition": attachmentDisposition(fileName),
    ...isolatedHeaders,
  };
  return { status: 200, headers, body: null, stream: archive };
}

const success = archiveSuccess("A ZIP archive with `manifest.json` and a folder for each message.");

/** `GET /api/messages/:id/bundle`: everything about a message as a ZIP archive. */
const getMessageBundleRoute: KeyRoute = keyRoute("getMessageBundle", "GET /api/messages/:id/bundle", {
  summary: "Download everything about a message as a ZIP archive: mail, transcript, checks, deliveries, picture.",
  returns: [success],
  respond: async (call) => {
    const archive = await bundleMessage(await contextOf(call), call.principal, call.id);
    return archiveResponse(nameOf(call), archive);
  },
});

/** `GET /api/servers/:id/bundle`: the newest messages of a server as a ZIP archive. */
export const getServerBundleRoute: KeyRoute = keyRoute("getServerBundle", "GET /api/servers/:id/bundle", {
  summary: `Download the newest messages of a server as a ZIP archive, at most ${bundleBounds.countMax}.`,
  query: [
    {
      name: "since",
      description:
        "Only messages received strictly after this instant: ISO 8601 (UTC without an offset), RFC 5322 or epoch milliseconds.",
      schema: build.anyOf([build.string(), build.integer()]),
    },
  ],
  returns: [success],
  respond: async (call) => {
    const request = { server: call.id, since: sinceOf(call) };
    return archiveResponse(nameOf(call), await bundleServer(await contextOf(call), call.principal, request));
  },
});

/** Reserves the memory of the response before it starts; then the reservation follows the current message. */
async function contextOf(call: KeyCall): Promise<Context> {
  const { room } = call;
  if (!call.isHead) await room.reserve(streamedBytes);
  return { ...withSignal(call), room: { reserve: async (bytes) => follow(room, bytes) } };
}

async function follow(room: KeyCall["room"], bytes: number): Promise<void> {
  await Promise.resolve();
  room.resize(Math.max(bytes, streamedBytes));
}

function sinceOf({ query }: KeyCall): number | null {
  const text = query.get("since") ?? "";
  if (text === "") return null;
  const since = parseInstant(text);
  if (since !== undefined) return since;
  throw invalidField("since", "Must be an ISO 8601 or RFC 5322 date-time, or epoch milliseconds", "invalid_date");
}

function nameOf({ id }: KeyCall): string {
  return `bundle-${id.toLowerCase()}.zip`;
}

/** `GET /api/messages/:id/attachments`: all attachments of a message as a ZIP archive. */
const getAttachmentsRoute: KeyRoute = keyRoute("getAttachments", "GET /api/messages/:id/attachments", {
  summary: "Download all attachments of a message as a ZIP archive.",
  returns: [archiveSuccess("A ZIP archive with the decoded attachments; empty for a message without them.")],
  respond: async (call) => {
    const room = { reserve: async (bytes: number) => call.room.reserve(bytes + streamedBytes) };
    const archive = await zipAttachments({ ...withSignal(call), room }, call.principal, call.id);
    return archiveResponse(`attachments-${call.id.toLowerCase()}.zip`, archive);
  },
});

/** Routes below `/api/messages/:id` that respond with ZIP archives. */
export const messageArchiveRoutes: readonly KeyRoute[] = [getMessageBundleRoute, getAttachmentsRoute];
