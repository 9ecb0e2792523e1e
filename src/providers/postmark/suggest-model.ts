import type { JsonObject } from "../formats/json-body.ts";

/** Tags of a template that are read. */
const tagCountMax = 1000;
/** Bounded repetitions keep the time linear. */
const tag = /\{\{\{?\s{0,9}([#^/]?)\s{0,9}(each\s{1,9})?([\w.@]{1,200})\s{0,9}\}?\}\}/g;
/** Items of a suggested list; one in lists inside of lists, so that models stay small. */
const listLength = 3;
const depthMax = 20;

type Model = { [name: string]: unknown };
interface Scope {
  readonly model: Model;
  /** Whether names in it are left out, as inside of an inverted section. */
  readonly isIgnored: boolean;
  readonly isInList: boolean;
}

/** Returns a model with a value for each variable of the sources; members of `given` replace suggested ones. */
export function suggestModel(sources: readonly string[], given: JsonObject): JsonObject {
  const model = emptyModel();
  for (const source of sources) suggestFrom(source, model);
  return { ...model, ...given };
}

function emptyModel(): Model {
  return Object.create(null) as Model;
}

function suggestFrom(source: string, root: Model): void {
  const scopes: Scope[] = [{ model: root, isIgnored: false, isInList: false }];
  let count = 0;
  for (const [, sign = "", each, name = ""] of source.matchAll(tag)) {
    count += 1;
    const scope = scopes.at(-1);
    if (scope === undefined || count > tagCountMax || scopes.length > depthMax) return;
    if (sign === "/") {
      if (scopes.length > 1) scopes.pop();
    } else if (sign === "") addValue(scope, name);
    else scopes.push(openSection(scope, { name, isList: each !== undefined, isInverted: sign === "^" }));
  }
}

function addValue({ model, isIgnored }: Scope, path: string): void {
  const names = path.split(".");
  const last = names.pop() ?? "";
  if (isIgnored || last === "" || path.startsWith("@") || path === "this" || names.length > depthMax) return;
  const parent = names.reduce<Model>((inner, name) => objectAt(inner, name), model);
  parent[last] ??= `${last}_Value`;
}

function objectAt(model: Model, name: string): Model {
  const present = model[name];
  if (typeof present === "object" && present !== null && !Array.isArray(present)) return present as Model;
  const created = emptyModel();
  model[name] = created;
  return created;
}

interface Section {
  readonly name: string;
  readonly isList: boolean;
  readonly isInverted: boolean;
}

function openSection({ model, isIgnored, isInList }: Scope, { name, isList, isInverted }: Section): Scope {
  if (isIgnored || isInverted) return { model, isIgnored: true, isInList };
  if (!isList) return { model: objectAt(model, name), isIgnored: false, isInList };
  const item = emptyModel();
  model[name] = Array.from({ length: isInList ? 1 : listLength }, () => item);
  return { model: item, isIgnored: false, isInList: true };
}
