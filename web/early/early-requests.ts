/** First requests of the page, which are sent while its code is loaded. */
import { hasCriteria, listQuery, pageSize, parseMailQuery } from "../navigation/mail-query.ts";
import { addressOf, pathOf, tokenKey } from "../base-path.ts";
import { parseRoute } from "../navigation/routes.ts";

/** Responses that were requested early, by path; each is used once. */
export interface EarlyResponses {
  /** Token of the session that the requests were sent with. */
  readonly token: string;
  readonly responses: Map<string, Promise<Response>>;
}

declare global {
  interface Window {
    restanteEarly?: EarlyResponses;
  }
}

/** Returns the requests that the page at a path of the UI begins with. */
export function firstPaths({ pathname, search }: Pick<Location, "pathname" | "search">): readonly string[] {
  const route = parseRoute(pathname);
  const paths = ["/web/session", "/api/servers"];
  if (route.kind !== "mail") return paths;
  const query = parseMailQuery(search);
  const list = listQuery(route.server, query, { page: 0, itemsPerPage: pageSize });
  return hasCriteria(query) ? paths : [...paths, `/api/messages?${list}`];
}

/** Sends the first requests of the page if the browser has a session. */
export function requestEarly(): void {
  const token = localStorage.getItem(tokenKey());
  if (token === null || /token=|session=/.test(location.hash)) return;
  const headers = { "x-restante-web": "1", "x-restante-session": token };
  const send = async (path: string): Promise<Response> => fetch(addressOf(path), { headers });
  const paths = firstPaths({ pathname: pathOf(location.pathname), search: location.search });
  const responses = new Map(paths.map((path) => [path, send(path)]));
  // Requests that fail are reported where their responses are used.
  for (const response of responses.values()) response.catch(() => undefined);
  window.restanteEarly = { token, responses };
}
