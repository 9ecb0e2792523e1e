/** Configuration sets: only their names are stored. */
import type { EmailSession } from "../email.ts";
import { SesError } from "./errors.ts";

const kind = "configuration-set";
const namePattern = /^[\w-]{1,64}$/;
const shownLengthMax = 64;

/** Stores a configuration set; throws `invalid` and `configurationSetExists`. */
export async function createConfigurationSet({ objects }: EmailSession, name: string): Promise<void> {
  if (!namePattern.test(name)) {
    throw new SesError("invalid", `Invalid configuration set name <${name.slice(0, shownLengthMax)}>.`);
  }
  if (await objects.put(kind, name, { value: {}, version: 0 })) return;
  throw new SesError("configurationSetExists", `Configuration set <${name}> already exists.`);
}

/** Throws `configurationSetMissing` when no such configuration set is stored. */
export async function checkConfigurationSet({ objects }: EmailSession, name: string): Promise<void> {
  if (!namePattern.test(name) || (await objects.get(kind, name)) === undefined) throw unknownSet(name);
}

/** Returns the names of configuration sets, at most 1000 after skipping `offset`. */
export async function listConfigurationSets({ objects }: EmailSession, offset: number): Promise<readonly string[]> {
  return (await objects.list(kind, offset)).map(({ id }) => id);
}

/** Removes a configuration set; throws `configurationSetMissing`. */
export async function deleteConfigurationSet({ objects }: EmailSession, name: string): Promise<void> {
  if (!namePattern.test(name) || !(await objects.remove(kind, name))) throw unknownSet(name);
}

function unknownSet(name: string): SesError {
  return new SesError("configurationSetMissing", `Configuration set <${name}> does not exist.`, [
    "ConfigurationSetName",
    name,
  ]);
}
