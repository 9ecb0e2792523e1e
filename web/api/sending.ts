/** Making mail, and answering it. */
import { useMutation, useQueryClient, type UseMutationResult } from "@tanstack/react-query";
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
import { pagesKey } from "./messages.ts";

/** The ways in which a message is answered, with what is said of each. */
export interface ReplyFieldsByKind {
  readonly reply: ReplyFields;
  readonly forward: ForwardFields;
  readonly bounce: BounceFields;
  readonly complaint: ComplaintFields;
  readonly autoreply: AutoreplyFields;
}

/** ReplyFieldsByKind a message of a server; the answer is the sent message. */
export function useReplyAction<Kind extends keyof ReplyFieldsByKind>(
  kind: Kind,
  message: Pick<Message, "id" | "server">,
): UseMutationResult<Message, Error, ReplyFieldsByKind[Kind]> {
  return useSending(message.server, `/api/messages/${message.id}/${kind}`);
}

/** Makes a mail in a server: sends it, or (without `send`) puts it there as if it had been received. */
export function useCompose(server: string): UseMutationResult<Message, Error, EmailFields> {
  return useSending(server, `/api/messages?server=${server}`);
}

function useSending<Fields>(server: string, path: string): UseMutationResult<Message, Error, Fields> {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async (body: Fields) => requestJson<Message>(path, { method: "POST", body }),
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: pagesKey(server) });
    },
  });
}
