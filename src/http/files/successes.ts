import type { Success } from "../route.ts";
import { build } from "../wire/schema.ts";

/** The successes of a route that answers with a file. */
export function fileSuccesses(contentType: string): readonly Success[] {
  const schema = build.string({ contentMediaType: contentType });
  return [
    { status: 200, description: "The bytes.", contentType, schema },
    { status: 206, description: "The bytes of the range.", contentType, schema },
    { status: 304, description: "The caller has the bytes already." },
  ];
}
