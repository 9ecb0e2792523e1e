/**
 * Bodies of requests are parsed by one reader for each format, which bounds values, depth and names before anything is built.
 * Every other use of a parser is listed here with the source of what it reads, so that a new route cannot have one of its own.
 */
import { expect, test } from "vitest";
import { filesBelow } from "./source-files.ts";

/** Readers of what others send. */
const readers: Readonly<Record<string, string>> = {
  "src/core/read-json.ts": "JSON: values, depth and names are bounded before it is parsed",
  "src/core/read-form.ts": "forms and query strings of providers and other mail catchers: fields and names are bounded",
  "src/providers/formats/aws-actions.ts": "forms of AWS, whose names are paths: fields and names are bounded",
  "src/providers/formats/multipart.ts": "multipart bodies: parts, header fields and names are bounded",
};

/** Rooms and files that parse what the service, its operator or this process has written. */
const own: Readonly<Record<string, string>> = {
  "src/cli/": "files and arguments of the operator, responses of the operator's service",
  "src/client/": "responses of the service, in the process of its client",
  "src/store/": "columns that operations have written, after the limits of their bodies",
  "src/run-report/read-record.ts": "files of the record of a run, whose size is bounded",
  "src/templates/": "files of the project of the user, and manifests of its packages",
  "src/testing/": "files and messages of the processes of a test run",
  "src/transfer/": "lines of exports, which the operator imports; their sizes are bounded",
  "src/workers/": "settings and messages of the main process",
  "src/app/log/audit-file.ts": "the audit log of the service",
  "src/app/public-mail/shared-acme.ts": "records of the service in its store",
  "src/app/service-file.ts": "the file of a running service in its data folder",
  "src/app/version.ts": "package.json",
  "src/previews/browser-fonts.ts": "the sizes of the fonts of the package",
  "src/previews/render-worker.ts": "package.json of the library of audits",
  "src/egress/sms/sms-deliveries.ts": "an SMS of the store",
  "src/egress/callbacks/delivery-content.ts": "an SMS of the store",
  "src/http/audit.ts": "the response of a route",
  "src/http/openapi.ts": "the description of the routes",
  "src/http/routes/faults/fault-routes.ts": "the response of the route itself, for its audit",
  "src/http/routes/messages/composing.ts": "the response of the route itself, for its audit",
  "src/http/web/sign-in-flow.ts": "a cookie that the service has sealed",
  "src/mcp/call-api.ts": "the response of the HTTP API, whose size is bounded",
  "src/egress/relay/relay-url.ts": "the URL of the relay, which the operator sets",
  "src/providers/formats/form.ts": "writes a form",
  "src/operations/": "records and summaries of the store",
};

/** Parsers of JSON, forms, multipart and XML. */
const parser =
  /\bJSON\.parse\(|\bnew URLSearchParams\(|\bdecodeFormText\(|\.searchParams\b|\bBusboy\b|node:querystring|\bDOMParser\b|\.formData\(\)|\.json\(\)/;

const product = filesBelow("src", ".ts").filter(({ path }) => !/\.test(?:-aid)?\.ts$/.test(path));
const codeOf = (text: string): string => text.replaceAll(/^ *(?:\*|\/\/|\/\*).*$/gm, "");
const parsing = product.filter(({ text }) => parser.test(codeOf(text))).map(({ path }) => path);
const isListed = (path: string): boolean =>
  path in readers || Object.keys(own).some((place) => (place.endsWith("/") ? path.startsWith(place) : path === place));

test("only the readers of bodies parse what others send", () => {
  expect(parsing.filter((path) => !isListed(path))).toEqual([]);
});

test("every reader and every listed place parses something", () => {
  const places = [...Object.keys(readers), ...Object.keys(own)];
  expect(places.filter((place) => !parsing.some((path) => path.startsWith(place)))).toEqual([]);
});

test.each([
  ["const a = JSON.parse(text);", true],
  ["const a = new URLSearchParams(body);", true],
  ["const a = yield* decodeFormText(body);", true],
  ["const a = new URL(url).searchParams;", true],
  ["const a = await request.json();", true],
  ["/** `JSON.parse(text)` */", false],
  ["const a = readJson(body);", false],
])("recognises whether %s parses: %s", (text, expected) => {
  expect(parser.test(codeOf(text))).toBe(expected);
});
