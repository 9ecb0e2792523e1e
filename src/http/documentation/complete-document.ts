/** Adds descriptions, examples, tags and servers to a generated OpenAPI document. */
import { exampleOf, requestExamples } from "./examples.ts";
import { propertyDescriptions } from "./property-descriptions.ts";

/** Tags of the OpenAPI document: the segment of the path below `/api`, with a description. */
const tagDescriptions: Readonly<Record<string, string>> = {
  messages: "List, search, wait for, read, create, send and delete messages.",
  search: "Search all servers of the key, and suggestions for searches.",
  events: "Follow the changes of a server as they happen.",
  "callback-formats": "Providers with event webhooks, and formats of inbound mail.",
  files: "Download attachments, raw messages and previews.",
  servers: "Servers: isolated containers of messages with their own addresses.",
  analysis: "Spam analysis, deliverability report and lint of a message.",
  screenshots: "E-mail clients for previews.",
  previews: "E-mail clients for previews, as libraries before 2026 read them.",
  faults: "Fault rules of the whole service.",
  devices: "Virtual authenticators (TOTP).",
  usage: "Limits and use of the account.",
  keys: "API keys.",
  users: "People with an access of their own.",
  teams: "Teams, their members, and the servers and keys that belong to them.",
  audit: "Log of changes, with their actors.",
  "verified-addresses": "Addresses outside the service that mail may be sent to.",
  "phone-numbers": "Phone numbers of servers.",
  sms: "Receive an SMS.",
  "approved-phrases": "Phrases that SMS replies may consist of.",
  status: "State of background tasks.",
  quarantine: "Work that ended the process, and is retried by hand only.",
  service: "Health, metrics and this document.",
};

/** JSON object of a document. */
type Json = Record<string, unknown>;

const servers = [
  { url: "/", description: "The service that this document comes from." },
  { url: "http://127.0.0.1:8025", description: "A service with default settings on this machine." },
];
const methods = ["get", "put", "post", "delete"] as const;

/** Completes a document in place. */
export function completeDocument(document: Json): void {
  document["servers"] = servers;
  const used = new Set<string>();
  const schemas = child(child(document, "components"), "schemas");
  for (const [name, schema] of Object.entries(schemas)) describeProperties(schema, name);
  for (const path of Object.values(child(document, "paths"))) {
    for (const method of methods) {
      const operation = child(path, method);
      if (operation["operationId"] !== undefined) completeOperation(operation, schemas, used);
    }
  }
  document["tags"] = Array.from(used)
    .toSorted()
    .map((name) => ({ name, description: tagDescriptions[name] }));
}

function completeOperation(operation: Json, schemas: Json, used: Set<string>): void {
  const id = String(operation["operationId"]);
  for (const tag of list(operation["tags"])) used.add(String(tag));
  const body = child(child(child(operation, "requestBody"), "content"), "application/json");
  describeProperties(body["schema"], id);
  if (id in requestExamples) body["example"] = requestExamples[id];
  for (const [status, response] of Object.entries(child(operation, "responses"))) {
    if (Number(status) >= 300) continue;
    const content = child(child(response, "content"), "application/json");
    const example = exampleOf(child(content, "schema"), schemas);
    if (example !== undefined) content["example"] = example;
  }
}

function describeProperties(schema: unknown, path: string): void {
  if (!isObject(schema)) return;
  for (const [name, property] of Object.entries(child(schema, "properties"))) {
    if (!isObject(property)) continue;
    const at = `${path}.${name}`;
    const inner = list(property["anyOf"]).find((choice) => isObject(choice) && choice["description"] !== undefined);
    const own = isObject(inner) ? inner["description"] : undefined;
    property["description"] ??= own ?? propertyDescriptions[at] ?? propertyDescriptions[name];
    describeProperties(property, at);
  }
  describeProperties(schema["items"], `${path}[]`);
  for (const choice of list(schema["anyOf"])) describeProperties(choice, path);
}

function child(value: unknown, name: string): Json {
  const found = isObject(value) ? value[name] : undefined;
  return isObject(found) ? found : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
