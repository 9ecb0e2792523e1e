/** Modules that a start of the service loads. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const urlOf = (path: string): string => JSON.stringify(pathToFileURL(join(import.meta.dirname, "..", path)).href);

test("the libraries of templates, of multipart forms, of rare charsets, of OpenID Connect and of MCP, mail from the Internet, and traces, are loaded on first use, not at start", async () => {
  const program = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ resolve: (specifier, context, next) => {
      const found = next(specifier, context);
      loaded.push(found.url);
      return found;
    } });
    const heavy = () => loaded.filter((url) => /node_modules\\/(?:handlebars|iconv-lite|@exodus\\/bytes|@fastify\\/busboy|@modelcontextprotocol|zod|jose|oauth4webapi|openid-client)\\/|\\/(?:screen-mail|certificate-loop|order-certificate|otlp-traces|otlp-json|trace-receiver)\\.ts$/.test(url)).length;
    for (const part of [${["app/service.ts", "app/assemble.ts", "app/listeners/listeners.ts"].map(urlOf).join()}]) {
      await import(part);
    }
    await import(${urlOf("providers/registry.ts")});
    console.log(loaded.length > 300, heavy());
    await import(${urlOf("operations/services/templates/handlebars-templates.ts")});
    await import(${urlOf("providers/formats/multipart.ts")});
    console.log(heavy() > 1);`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);
  expect(stdout).toBe("true 0\ntrue\n");
});
