import type { OpenedMessage } from "../../operations/messages/get-message.ts";
import { jsonResponse, jsonStreamResponse, type HttpResponse } from "../http-response.ts";
import { isOnePiece, messageChunks } from "./message-json.ts";

/** Returns 200 with a message, which is written chunk by chunk when its texts are large. */
export function messageResponse(opened: OpenedMessage): HttpResponse {
  return isOnePiece(opened) ? jsonResponse(opened.message) : jsonStreamResponse(messageChunks(opened));
}
