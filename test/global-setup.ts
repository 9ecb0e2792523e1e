import { buildWeb } from "../scripts/build-web.ts";

/** Tests that look at the web UI look at the one in the sources, not at an older build. */
export async function setup(): Promise<void> {
  await buildWeb();
}
