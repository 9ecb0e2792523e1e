/**
 * Module for `NODE_OPTIONS=--import=restante/redirect`: redirects requests of a Node program to `mailosaur.com` (by
 * `node:https`, `node:http` or `fetch`), and to the providers of `RESTANTE_REDIRECT_PROVIDERS`, to a restante service, and no
 * others. The service is that of
 * `RESTANTE_REDIRECT_URL`, else of the data folder; without one, the request fails and is not sent.
 */
import http from "node:http";
import https from "node:https";
import { syncBuiltinESMExports } from "node:module";
import { redirectFetch, redirectRequests, type AnyRequest, type RequestGround } from "./redirect-requests.ts";
import { findRedirectTarget, prefixesOf } from "./redirect-target.ts";

const ground: RequestGround = {
  request: { "http:": http.request, "https:": https.request },
  find: () => findRedirectTarget(process.env),
  prefixOf: prefixesOf(process.env),
};

for (const [protocol, library] of [
  ["http:", http],
  ["https:", https],
] as const) {
  const request = redirectRequests(protocol, library.request as AnyRequest, ground);
  const get: AnyRequest = (...given) => {
    const asked = request(...given);
    asked.end();
    return asked;
  };
  Object.assign(library, { request, get });
}
syncBuiltinESMExports();
globalThis.fetch = redirectFetch(globalThis.fetch, ground);
