import type { KeyRoute } from "../../route.ts";
import { deleteMessageRoute } from "./delete-message.ts";
import { emptyServerRoute } from "./empty-server.ts";
import { getMessageRoute } from "./get-message.ts";
import { listMessagesRoute } from "./list-messages.ts";
import { searchMessagesRoute } from "./search-messages.ts";

/** The routes below `/api/messages`. */
export const messageRoutes: readonly KeyRoute[] = [
  listMessagesRoute,
  emptyServerRoute,
  searchMessagesRoute,
  getMessageRoute,
  deleteMessageRoute,
];
