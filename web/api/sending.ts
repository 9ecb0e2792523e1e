import type { UseMutationResult } from "@tanstack/react-query";
import type {
  AutoreplyFields,
  BounceFields,
  ComplaintFields,
  EmailFields,
  ForwardFields,
  Message,
  ReplyFields,
} from "../wire.ts";
import { requestJson } from "./client.ts";
import { queryKeys } from "./query-keys.ts";
import { useInvalidatingMutation } from "./use-invalidating-mutation.ts";

/** Request bodies of the actions that reply to a message, by the last segment of their path. */
export interface ReplyFieldsByKind {
  readonly reply: ReplyFields;
  readonly forward: ForwardFields;
  readonly bounce: BounceFields;
  readonly complaint: ComplaintFields;
  readonly autoreply: AutoreplyFields;
}

/** Replies to a message of a server, forwards it, or simulates a reply; the result is the sent message. */
export function useReplyAction<Kind extends keyof ReplyFieldsByKind>(
  kind: Kind,
  message: Pick<Message, "id" | "server">,
): UseMutationResult<Message, Error, ReplyFieldsByKind[Kind]> {
  return useCreateMessage(message.server, `/api/messages/${message.id}/${kind}`);
}

/** Sends an email unchanged to addresses; the result is the sent message. */
export function useRelease(
  message: Pick<Message, "id" | "server">,
): UseMutationResult<Message, Error, readonly string[]> {
  return useInvalidatingMutation(queryKeys.serverMessages(message.server), async (to) =>
    requestJson<Message>(`/api/messages/${message.id}/release`, { method: "POST", body: { to } }),
  );
}

/** Creates an email in a server: sends it or, without `send`, stores it as if it had been received. */
export function useCompose(server: string): UseMutationResult<Message, Error, EmailFields> {
  return useCreateMessage(server, `/api/messages?server=${server}`);
}

function useCreateMessage<Fields>(server: string, path: string): UseMutationResult<Message, Error, Fields> {
  return useInvalidatingMutation(queryKeys.serverMessages(server), async (body: Fields) =>
    requestJson<Message>(path, { method: "POST", body }),
  );
}
