import type { Success } from "../route.ts";
import { build } from "../wire/schema.ts";

/** Returns the successes of a route that responds with a file. */
export function fileSuccesses(contentType: string): readonly Success[] {
  const schema = build.string({ contentMediaType: contentType });
  return [
    { status: 200, description: "The content.", contentType, schema },
    { status: 206, description: "The requested range.", contentType, schema },
    { status: 304, description: "The client has the current content." },
  ];
}
