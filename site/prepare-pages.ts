/**
 * Prepares the content of the site from the Markdown of the repository: front matter from the first heading, links as
 * routes, images beside their pages, and the OpenAPI document of the service. Everything that it writes is ignored by git.
 */
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { writeOpenApi } from "../src/http/openapi.ts";
import { routeTable } from "../src/http/route-table.ts";
import { base, contentFolder, openApiFile, root } from "./paths.ts";

/** Pages at the top of the repository, which are shown below `project/`. */
const projectPages = ["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];
/** URL of the files of the repository, for links to files that are not pages. Without it, such links become plain text. */
const repositoryUrl = process.env["DOCS_REPOSITORY_URL"] ?? "";
const descriptionLengthMax = 160;

const sources = [...projectPages, ...globSync("docs/**/*.md", { cwd: root })].map((path) => path.replaceAll("\\", "/"));
const pages = new Map(sources.map((path) => [path, slugOf(path)]));

/** Returns the route of a page below the base, without slashes at its ends. */
function slugOf(path: string): string {
  if (!path.startsWith("docs/")) return `project/${path.replace(/\.md$/, "").toLowerCase()}`;
  return path
    .slice("docs/".length)
    .replace(/\.md$/, "")
    .replace(/(^|\/)README$/, "")
    .replace(/\/$/, "");
}

/** Returns the path of a page in the content of the site. */
function fileOf(slug: string, path: string): string {
  const isFolder = path.endsWith("README.md");
  return join(contentFolder, isFolder ? posix.join(slug, "index.md") : `${slug}.md`);
}

/** Returns Markdown whose links outside of code lead to the pages of the site. */
function withRoutes(markdown: string, path: string): string {
  const parts = markdown.split(/^( *```[^]*?^ *```)$/gm);
  return parts.map((part, position) => (position % 2 === 1 ? part : relinked(part, path))).join("");
}

function relinked(text: string, path: string): string {
  return text.replaceAll(/(!?)\[([^\][]*(?:\[[^\]]*\][^\][]*)*)\]\(([^()\s]+)\)/g, (whole, image, label, target) => {
    if (image === "!" || /^(?:[a-z]+:|#)/.test(target)) return whole;
    const [file = "", anchor] = target.split("#");
    const found = posix.normalize(posix.join(posix.dirname(path), file)).replace(/\/$/, "");
    const slug = pages.get(found) ?? pages.get(posix.join(found, "README.md"));
    const fragment = anchor === undefined ? "" : `#${anchor}`;
    if (slug !== undefined) return `[${label}](${base}${slug}${slug === "" ? "" : "/"}${fragment})`;
    if (!existsSync(join(root, found))) throw new Error(`${path}: the link to ${target} has no target`);
    return repositoryUrl === "" ? label : `[${label}](${repositoryUrl}/${found})`;
  });
}

function writePage(path: string, slug: string): void {
  const text = readFileSync(join(root, path), "utf8");
  const [, title = "", body = ""] = /^# (.+)\n([^]*)$/.exec(text) ?? [];
  if (title === "") throw new Error(`${path}: the first line is not a heading`);
  const first = /^(?![#|<>`-])\S.*$/m.exec(body)?.[0] ?? title;
  const plain = first.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll(/[`*]/g, "");
  const description = plain.length > descriptionLengthMax ? `${plain.slice(0, descriptionLengthMax - 1)}…` : plain;
  const matter = [
    "---",
    `title: ${JSON.stringify(title.replaceAll("`", ""))}`,
    `description: ${JSON.stringify(description)}`,
    "---",
    "",
  ];
  const file = fileOf(slug, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${matter.join("\n")}${withRoutes(body, path)}`);
}

/** Returns the OpenAPI document with the default address of a service, for the examples. */
async function openApiDocument(): Promise<object> {
  const document = JSON.parse(Buffer.from(await writeOpenApi(routeTable)).toString("utf8")) as object;
  return { ...document, servers: [{ url: "http://127.0.0.1:8025" }] };
}

rmSync(contentFolder, { recursive: true, force: true });
for (const [path, slug] of pages) writePage(path, slug);
cpSync(join(root, "docs", "guide", "images"), join(contentFolder, "guide", "images"), { recursive: true });
mkdirSync(dirname(openApiFile), { recursive: true });
writeFileSync(openApiFile, JSON.stringify(await openApiDocument()));
