/**
 * Installs the template engines of the guide in their newest versions in a project of its own, and tests a template of each
 * with `restante test`, for `npm run compat:templates`.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const packages = "mjml react @react-email/components esbuild handlebars liquidjs nunjucks mustache ejs pug".split(" ");

/** Templates, each of which greets Ann. */
const templates: Readonly<Record<string, string>> = {
  "handlebars.hbs": "<p>Hello {{name}}</p>",
  "liquid.liquid": "<p>Hello {{ name }}</p>",
  "nunjucks.njk": "<p>Hello {{ name }}</p>",
  "mustache.mustache": "<p>Hello {{name}}</p>",
  "ejs.ejs": "<p>Hello <%= name %></p>",
  "pug.pug": "p Hello #{name}",
  "mjml.mjml.hbs":
    "<mjml><mj-body><mj-section><mj-column><mj-text>Hello {{name}}</mj-text></mj-column></mj-section></mj-body></mjml>",
  "react.tsx": `import { Html, Text } from "@react-email/components";
export default function Mail({ name }: { name: string }) { return <Html lang="en"><Text>Hello {name}</Text></Html>; }
Mail.PreviewProps = { name: "Ann" };
`,
};

function run(command: string, argv: readonly string[], cwd: string): void {
  if (spawnSync(command, argv, { cwd, stdio: "inherit" }).status !== 0) throw new Error(`${command} failed`);
}

const folder = mkdtempSync(join(tmpdir(), "restante-templates-"));
try {
  const emails = join(folder, "emails");
  mkdirSync(emails);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  for (const [file, text] of Object.entries(templates)) {
    writeFileSync(join(emails, file), text);
    if (!file.endsWith(".tsx")) writeFileSync(join(emails, file.replace(/\..*/, ".json")), `{"name":"Ann"}`);
  }
  run("npm", ["install", "--no-audit", "--no-fund", ...packages], folder);
  const argv = [join(root, "dist", "cli", "main.js"), "test", "emails"];
  // The first run writes the snapshots, with which the second one compares.
  run(process.execPath, [...argv, "--update"], folder);
  run(process.execPath, argv, folder);
  const missing = Object.keys(templates).filter((file) => {
    const snapshot = join(emails, "__snapshots__", file.replace(/\..*/, ".txt"));
    return !readFileSync(snapshot, "utf8").includes("Hello Ann");
  });
  if (missing.length > 0) throw new Error(`not rendered: ${missing.join(", ")}`);
  spawnSync("npm", ["ls", "--depth=0", ...packages], { cwd: folder, stdio: "inherit" });
  console.log(`${String(Object.keys(templates).length)} templates pass`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
