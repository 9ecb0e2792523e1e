import { Problem } from "../../../core/errors.ts";
import type { KeyRoute, Method } from "../../route.ts";

/** A withdrawn path, and a sentence that names its replacement. */
const withdrawn = {
  "/api/mailboxes":
    "search with POST /api/messages/search?server=:server, empty with DELETE /api/messages?server=:server",
  "/api/emails": "retrieve with GET /api/messages/:id, delete with DELETE /api/messages/:id",
  "/api/attachments": "fetch with GET /api/files/attachments/:attachment_id",
  "/api/messages/await": "repeat POST /api/messages/search?server=:server, or give it a timeout",
};

const methods: readonly Method[] = ["GET", "POST", "PUT", "DELETE"];

/** Endpoints that were withdrawn on 2022-05-11, and all paths below them: 410 with the replacement. */
export const withdrawnRoutes: readonly KeyRoute[] = Object.entries(withdrawn).flatMap(([path, replacement]) =>
  [path, `${path}/*`].flatMap((each) => methods.map((method) => withdrawnRoute({ method, path: each, replacement }))),
);

function withdrawnRoute(old: { method: Method; path: string; replacement: string }): KeyRoute {
  return {
    method: old.method,
    path: old.path,
    operationId: null,
    summary: "Withdrawn on 2022-05-11.",
    access: "key",
    successes: [],
    problems: ["gone"],
    respond: () => {
      throw new Problem("gone", { text: `This endpoint was withdrawn on 2022-05-11: ${old.replacement}` });
    },
  };
}
